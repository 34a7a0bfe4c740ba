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
#include "device/cuda/neighbour.hpp"

namespace msda {

/// What other kernels left in the persisting part of L2 is reset before each series.
class CudaTiming {
 public:
  /// Enqueues one part of one launch.
  using Launch = std::function<void(int launch, int part)>;
  /// Seconds by part, then by sample.
  using Times = std::vector<std::vector<double>>;
  /// Of the kernels that timing needs, asked for when the first of them is. Throws EnvironmentError
  /// on a machine without a compiler, which runs kernels that were compiled elsewhere.
  using GetCompiler = std::function<const Compiler&()>;

  CudaTiming(const DeviceInfo& device, cudaStream_t stream, GetCompiler compiler)
      : device_(device), stream_(stream), compiler_(std::move(compiler)) {}

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
  /// The same graph with another kernel before each launch; a sample is what it takes longer than a
  /// graph of the others alone, which runs before it. Throws EnvironmentError without a compiler.
  std::vector<double> behind(int samples, const std::function<void(int)>& launch,
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
  std::vector<double> watched_replays(CudaGraph& graph, const CudaGraph* others, int samples,
                                      LaunchWatch* watch);
  std::vector<double> replays(const CudaGraph& graph, const CudaGraph* others, int samples);
  CudaGate* gate();

  static constexpr int kLaunchesPerGraph = 10;
  static constexpr double kLongEnough = 100e-6;  ///< seconds, against an event
  const DeviceInfo& device_;
  cudaStream_t stream_;
  GetCompiler compiler_;
  bool gate_is_known_ = false;
  std::unique_ptr<CudaGate> gate_;  ///< of warm series; null on a machine without a compiler
  std::unique_ptr<CudaNeighbour> neighbour_;
  std::unique_ptr<CudaMemory> flush_;
};

}  // namespace msda
