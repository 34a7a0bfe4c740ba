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

/// A second stream, and the events at which it leaves the launch's stream and comes back.
struct Branch {
  cudaStream_t stream = nullptr;
  cudaEvent_t leaves = nullptr;
  cudaEvent_t returns = nullptr;
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

/// Lets `to` go on when `from` has come here.
inline Status enqueue_wait(cudaStream_t from, cudaEvent_t here, cudaStream_t to) {
  const Status status = status_of(cudaEventRecord(here, from), "cudaEventRecord");
  if (status.failed()) return status;
  return status_of(cudaStreamWaitEvent(to, here, 0), "cudaStreamWaitEvent");
}

/// The same with a branch, in which what may run beside the main kernel does. A capture of the
/// stream captures both.
inline Status enqueue(const Sequence& sequence, const LaunchPlan& plan,
                      const AllArguments& arguments, cudaStream_t stream, const Branch& branch) {
  const Parameters parameters(plan, arguments);
  Clears clears[2];
  for (const Clear& clear : sequence.clears) clears[clear.beside ? 1 : 0].add(clear);
  const auto kernels = [&](Stage stage, cudaStream_t on) {
    Status status;
    for (const Kernel& kernel : sequence) {
      if (kernel.stage != stage || status.failed()) continue;
      status = enqueue(kernel, parameters, on);
    }
    return status;
  };
  Status status;
  const auto then = [&](const auto& step) {
    if (!status.failed()) status = step();
  };
  then([&] { return enqueue_clears(clears[0], arguments, stream); });
  then([&] { return kernels(Stage::kBefore, stream); });
  then([&] { return enqueue_wait(stream, branch.leaves, branch.stream); });
  then([&] { return enqueue_clears(clears[1], arguments, branch.stream); });
  then([&] { return kernels(Stage::kBeside, branch.stream); });
  then([&] { return kernels(Stage::kMain, stream); });
  then([&] { return enqueue_wait(branch.stream, branch.returns, stream); });
  then([&] { return kernels(Stage::kAfter, stream); });
  return status;
}

}  // namespace msda::runtime
