// CUDA graphs of several launches, and the same graph with a watch between them.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <vector>

#include "device/device.hpp"

namespace msda {

/// Captured from what `launch(0)` to `launch(count - 1)` enqueue on the stream.
class CudaGraph {
 public:
  CudaGraph(cudaStream_t stream, int count, const std::function<void(int)>& launch);
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;
  ~CudaGraph();

  void launch(cudaStream_t stream) const;
  /// Adds what the watch does before and after each launch to the nodes that were captured, between
  /// those of one launch and the next, and runs them all once; launch() goes on without. A launch
  /// shows here whose output a later one of the graph writes again. Once at most; throws Error
  /// where the graph holds allocations, of which there can be one instance.
  void launch_watched(cudaStream_t stream, LaunchWatch& watch);

 private:
  void capture(cudaStream_t stream, int count, const std::function<void(int)>& launch);
  cudaGraphNode_t add_between(std::size_t next, cudaGraphNode_t last, cudaGraph_t added);

  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
  std::vector<std::vector<cudaGraphNode_t>> nodes_;  ///< by launch
};

}  // namespace msda
