// Device time of launches, by CUDA events around them and nothing else.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "device/cuda/gate.hpp"
#include "device/cuda/graph.hpp"
#include "device/cuda/memory.hpp"

namespace msda {

/// What other kernels left in the persisting part of L2 is reset before each series.
class CudaTiming {
 public:
  /// Enqueues one part of one launch.
  using Launch = std::function<void(int launch, int part)>;
  /// Seconds by part, then by sample.
  using Times = std::vector<std::vector<double>>;
  /// Makes what keeps the host's gaps out of warm series, when it is first needed; null where that
  /// cannot be made.
  using MakeGate = std::function<std::unique_ptr<CudaGate>()>;

  CudaTiming(const DeviceInfo& device, cudaStream_t stream, MakeGate make_gate)
      : device_(device), stream_(stream), make_gate_(std::move(make_gate)) {}

  /// Before each sample: persisting lines reset and twice the L2 written, so that no input is
  /// cached, and `flush_others` called for other devices that a launch works on. A later part of
  /// the sample finds what the earlier ones left there.
  Times cold(int samples, int parts, const Launch& launch,
             const std::function<void()>& flush_others, LaunchWatch* watch);
  /// Launches back to back. All of a series are enqueued before the first one runs, so that the
  /// host's gaps do not show; a launch that itself waits for the device has its gaps all the same.
  /// A sample of a short kernel is the time of several launches, each, so that the events between
  /// the samples weigh little; where parts are timed it is one.
  Times warm(int samples, int parts, const Launch& launch, LaunchWatch* watch);
  /// A graph of kLaunchesPerGraph launches; a sample is one graph's time for each launch in it.
  /// With a watch every launch of the graph is watched once, in a copy that is not timed.
  std::vector<double> graph(int samples, const std::function<void(int)>& launch,
                            LaunchWatch* watch);
  /// Has the L2 written on the stream, as before a cold sample.
  void flush_l2();

 private:
  /// A part of a series: `launches` for each of the samples from `first` on.
  struct Series {
    int first;
    int samples;
    int parts;
    int launches;
    LaunchWatch* watch;

    LaunchWatch* draw_watch() const;
  };

  double seconds_of(const Launch& launch);
  int launches_per_sample(const Launch& launch);
  Times cold_series(const Series& series, const Launch& launch,
                    const std::function<void()>& flush_others);
  void watch_cold(LaunchWatch& watch, int first, int count, const Launch& launch,
                  const std::function<void()>& flush_others);
  Times back_to_back(const Series& series, const Launch& launch, bool gated);
  void watch_some(LaunchWatch& watch, const Launch& launch, int& next);
  std::vector<double> replays(const CudaGraph& graph, int samples);
  CudaGate* gate();

  static constexpr int kLaunchesPerGraph = 10;
  static constexpr double kLongEnough = 100e-6;  ///< seconds, against an event
  const DeviceInfo& device_;
  cudaStream_t stream_;
  MakeGate make_gate_;
  std::unique_ptr<CudaGate> gate_;
  std::unique_ptr<CudaMemory> flush_;
};

}  // namespace msda
