#include "gpu/cuda_timing.hpp"

#include <utility>

#include "gpu/cuda_check.hpp"

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

}  // namespace

void CudaTiming::flush_l2() {
  if (!flush_)
    flush_ = std::make_unique<CudaMemory>(static_cast<std::size_t>(2 * device_.l2_bytes));
  check(cudaCtxResetPersistingL2Cache(), "cudaCtxResetPersistingL2Cache");
  check(cudaMemsetAsync(flush_->data(), 0, flush_->size(), stream_), "cudaMemsetAsync");
}

std::vector<double> CudaTiming::cold(int samples, const std::function<void(int)>& launch) {
  CudaEvents events(2 * samples);
  for (int i = 0; i < samples; ++i) {
    flush_l2();
    events.record(2 * i, stream_);
    launch(i);
    events.record(2 * i + 1, stream_);
  }
  std::vector<double> seconds;
  for (int i = 0; i < samples; ++i) seconds.push_back(events.seconds(2 * i, 2 * i + 1));
  return seconds;
}

std::vector<double> CudaTiming::warm(int samples, const std::function<void(int)>& launch) {
  check(cudaCtxResetPersistingL2Cache(), "cudaCtxResetPersistingL2Cache");
  CudaEvents events(samples + 1);
  launch(0);  // fills caches and queue; outside every interval
  events.record(0, stream_);
  for (int i = 0; i < samples; ++i) {
    launch(i);
    events.record(i + 1, stream_);
  }
  std::vector<double> seconds;
  for (int i = 0; i < samples; ++i) seconds.push_back(events.seconds(i, i + 1));
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
  for (int i = 0; i < samples; ++i) seconds.push_back(events.seconds(i, i + 1) / kLaunchesPerGraph);
  return seconds;
}

}  // namespace msda
