// What one launch of a composition enqueues, and in which order. Nothing here allocates, waits or
// asks the device, so that a stream may be captured meanwhile.
#pragma once

#include <cuda_runtime_api.h>

#include <msda/launch.cuh>

#include <msda/runtime/kernel.hpp>
#include <msda/runtime/status.hpp>
#include <msda/runtime/workspaces.hpp>

namespace msda::runtime {

struct Sequence {
  Clears clears;
  Kernel prepasses[kMostSlots];  ///< in the order of their slots
  int prepass_count = 0;
  Kernel main;

  /// Comes last. A kernel may begin early beside the kernel before it; nothing else has the call
  /// that it waits for.
  void set_main(const Kernel& kernel) {
    main = kernel;
    if (prepass_count == 0 && !clears.empty()) main.shape.dependent = 0;
  }
};

inline Status enqueue_clears(const Clears& clears, cudaStream_t stream) {
  for (const Clear& clear : clears) {
    const Status status =
        status_of(cudaMemsetAsync(clear.first, 0, clear.bytes, stream), "cudaMemsetAsync");
    if (status.failed()) return status;
  }
  return {};
}

inline Status enqueue(const Sequence& sequence, AllArguments& arguments, cudaStream_t stream) {
  Status status = enqueue_clears(sequence.clears, stream);
  for (int i = 0; i < sequence.prepass_count && !status.failed(); ++i) {
    status = enqueue(sequence.prepasses[i], arguments, stream);
  }
  return status.failed() ? status : enqueue(sequence.main, arguments, stream);
}

}  // namespace msda::runtime
