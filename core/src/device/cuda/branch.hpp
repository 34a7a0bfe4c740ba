// The stream of what runs beside a composition's main kernel.
#pragma once

#include <cuda_runtime_api.h>

#include <msda/runtime/sequence.hpp>

#include "device/cuda/check.hpp"

namespace msda {

class CudaBranch {
 public:
  /// What a launch waits for longest is in the branch: its blocks go first.
  CudaBranch() {
    int least = 0;
    int greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
    check(cudaStreamCreateWithPriority(&branch_.stream, cudaStreamNonBlocking, greatest),
          "cudaStreamCreateWithPriority");
    for (cudaEvent_t* event : {&branch_.leaves, &branch_.returns}) {
      check(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    }
  }
  ~CudaBranch() {
    cudaEventDestroy(branch_.returns);
    cudaEventDestroy(branch_.leaves);
    cudaStreamDestroy(branch_.stream);
  }
  CudaBranch(const CudaBranch&) = delete;
  CudaBranch& operator=(const CudaBranch&) = delete;

  const runtime::Branch& get() const { return branch_; }

 private:
  runtime::Branch branch_;
};

}  // namespace msda
