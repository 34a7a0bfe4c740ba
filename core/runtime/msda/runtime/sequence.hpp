// What one launch of a composition enqueues, and in which order. Nothing here allocates, waits or
// asks the device, so that a stream may be captured meanwhile.
#pragma once

#include <cuda_runtime_api.h>

#include <msda/launch.cuh>

#include <msda/runtime/kernel.hpp>
#include <msda/runtime/status.hpp>
#include <msda/runtime/workspaces.hpp>

namespace msda::runtime {

class Sequence {
 public:
  Clears clears;  ///< complete before the first add()

  /// In the order of the launch: passes before, the main kernel, passes after. A kernel may begin
  /// early beside the kernel before it; nothing else has the call that it waits for.
  Kernel& add(const Kernel& kernel) {
    Kernel& added = kernels_[count_++] = kernel;
    if (count_ == 1 && !clears.empty()) added.shape.dependent = 0;
    return added;
  }
  const Kernel* begin() const { return kernels_; }
  const Kernel* end() const { return kernels_ + count_; }

 private:
  Kernel kernels_[kPasses * kMostSlots + 1];
  int count_ = 0;
};

inline Status enqueue_clears(const Clears& clears, const AllArguments& arguments,
                             cudaStream_t stream) {
  for (const Clear& clear : clears) {
    void* const first = clear.first(arguments);
    if (first == nullptr) continue;  // an output that nobody asks for
    const Status status =
        status_of(cudaMemsetAsync(first, 0, clear.bytes, stream), "cudaMemsetAsync");
    if (status.failed()) return status;
  }
  return {};
}

inline Status enqueue(const Sequence& sequence, const LaunchPlan& plan,
                      const AllArguments& arguments, cudaStream_t stream) {
  Status status = enqueue_clears(sequence.clears, arguments, stream);
  const Parameters parameters(plan, arguments);
  for (const Kernel& kernel : sequence) {
    if (status.failed()) break;
    status = enqueue(kernel, parameters, stream);
  }
  return status;
}

}  // namespace msda::runtime
