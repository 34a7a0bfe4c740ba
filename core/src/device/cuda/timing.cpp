#include "device/cuda/timing.hpp"

#include <algorithm>
#include <cmath>

#include "device/cuda/check.hpp"

namespace msda {
namespace {

/// An instantiated graph, captured from what `record` enqueues on the stream.
class CudaGraph {
 public:
  CudaGraph(cudaStream_t stream, const std::function<void()>& record) {
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
          "cudaStreamBeginCapture");
    try {
      record();
    } catch (...) {
      // The capture must end before the stream can be used again; its graph is worthless.
      cudaStreamEndCapture(stream, &graph_);
      if (graph_ != nullptr) cudaGraphDestroy(graph_);
      throw;
    }
    check(cudaStreamEndCapture(stream, &graph_), "cudaStreamEndCapture");
    const cudaError_t result = cudaGraphInstantiate(&executable_, graph_, 0);
    if (result != cudaSuccess) cudaGraphDestroy(graph_);
    check(result, "cudaGraphInstantiate");
  }
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;
  ~CudaGraph() {
    cudaGraphExecDestroy(executable_);
    cudaGraphDestroy(graph_);
  }
  void launch(cudaStream_t stream) const {
    check(cudaGraphLaunch(executable_, stream), "cudaGraphLaunch");
  }

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

/// Part p of sample i lies between the events i * stride + p and the next.
CudaTiming::Times times(const CudaEvents& events, int samples, int parts, int stride) {
  CudaTiming::Times seconds(static_cast<std::size_t>(parts));
  for (int i = 0; i < samples; ++i) {
    for (int part = 0; part < parts; ++part) {
      const int from = i * stride + part;
      seconds[static_cast<std::size_t>(part)].push_back(events.seconds(from, from + 1));
    }
  }
  return seconds;
}

}  // namespace

void CudaTiming::flush_l2() {
  if (!flush_)
    flush_ = std::make_unique<CudaMemory>(static_cast<std::size_t>(2 * device_.l2_bytes));
  check(cudaCtxResetPersistingL2Cache(), "cudaCtxResetPersistingL2Cache");
  check(cudaMemsetAsync(flush_->data(), 0, flush_->size(), stream_), "cudaMemsetAsync");
}

CudaTiming::Times CudaTiming::cold(int samples, int parts, const Launch& launch,
                                   const std::function<void()>& flush_others) {
  const int stride = parts + 1;
  CudaEvents events(samples * stride);
  for (int i = 0; i < samples; ++i) {
    flush_l2();
    flush_others();
    events.record(i * stride, stream_);
    for (int part = 0; part < parts; ++part) {
      launch(i, part);
      events.record(i * stride + part + 1, stream_);
    }
  }
  return times(events, samples, parts, stride);
}

CudaGate* CudaTiming::gate() {
  if (make_gate_) gate_ = make_gate_();
  make_gate_ = {};
  return gate_.get();
}

/// As many as make a sample long against an event, but no more than a graph has.
int CudaTiming::launches_per_sample(const Launch& launch) {
  constexpr double kLongEnough = 100e-6;
  CudaEvents events(2);
  events.record(0, stream_);
  launch(0, 0);
  events.record(1, stream_);
  const double seconds = events.seconds(0, 1);
  if (seconds * kLaunchesPerGraph <= kLongEnough) return kLaunchesPerGraph;
  return std::max(1, static_cast<int>(std::ceil(kLongEnough / seconds)));
}

CudaTiming::Times CudaTiming::warm(int samples, int parts, const Launch& launch) {
  // Behind a closed gate the queue of the device must have room for all, or the host would wait for
  // it; a launch may enqueue several things.
  constexpr int kMostEnqueued = 128;
  check(cudaCtxResetPersistingL2Cache(), "cudaCtxResetPersistingL2Cache");
  const int launches = parts == 1 ? launches_per_sample(launch) : 1;
  const int at_a_time = std::max(1, kMostEnqueued / (parts * launches));
  Times seconds(static_cast<std::size_t>(parts));
  bool gated = gate() != nullptr;
  for (int first = 0; first < samples; first += at_a_time) {
    const Series series{first, std::min(at_a_time, samples - first), parts, launches};
    Times times = back_to_back(series, launch, gated);
    if (gated && gate()->was_late()) {
      gated = false;
      times = back_to_back(series, launch, gated);
    }
    for (std::size_t part = 0; part < times.size(); ++part) {
      seconds[part].insert(seconds[part].end(), times[part].begin(), times[part].end());
    }
  }
  return seconds;
}

CudaTiming::Times CudaTiming::back_to_back(const Series& series, const Launch& launch, bool gated) {
  CudaEvents events(series.samples * series.parts + 1);
  if (gated) gate()->close(stream_);
  // Fills caches and queue; outside every interval.
  for (int part = 0; part < series.parts; ++part) launch(series.first * series.launches, part);
  events.record(0, stream_);
  for (int i = 0; i < series.samples; ++i) {
    for (int part = 0; part < series.parts; ++part) {
      for (int j = 0; j < series.launches; ++j) {
        launch((series.first + i) * series.launches + j, part);
      }
      events.record(i * series.parts + part + 1, stream_);
    }
  }
  if (gated) gate()->open();
  Times seconds = times(events, series.samples, series.parts, series.parts);
  for (std::vector<double>& of_part : seconds) {
    for (double& sample : of_part) sample /= series.launches;
  }
  return seconds;
}

std::vector<double> CudaTiming::graph(int samples, const std::function<void(int)>& launch) {
  check(cudaCtxResetPersistingL2Cache(), "cudaCtxResetPersistingL2Cache");
  const CudaGraph graph(stream_, [&] {
    for (int i = 0; i < kLaunchesPerGraph; ++i) launch(i);
  });
  CudaEvents events(samples + 1);
  graph.launch(stream_);  // the first launch of a graph uploads it
  events.record(0, stream_);
  for (int i = 0; i < samples; ++i) {
    graph.launch(stream_);
    events.record(i + 1, stream_);
  }
  std::vector<double> seconds;
  seconds.reserve(static_cast<std::size_t>(samples));
  for (int i = 0; i < samples; ++i) seconds.push_back(events.seconds(i, i + 1) / kLaunchesPerGraph);
  return seconds;
}

}  // namespace msda
