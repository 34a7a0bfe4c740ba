// One kernel of a composition: what the device needs to be told before its first launch, and the
// launch.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>

#include <msda/launch.cuh>

#include <msda/runtime/grid.hpp>
#include <msda/runtime/parameters.hpp>
#include <msda/runtime/status.hpp>

namespace msda::runtime {

/// Where a kernel stands in a launch that has a branch beside the main kernel.
enum class Stage { kBefore, kBeside, kMain, kAfter };

struct Kernel {
  const void* function = nullptr;  ///< a cudaKernel_t, or the address of a __global__ function
  LaunchShape shape{};
  unsigned blocks = 0;
  cudaAccessPolicyWindow window{};  ///< of memory that stays in the persisting part of L2, or empty
  Stage stage = Stage::kMain;
};

/// A kernel's launch in the words of the CUDA runtime, with pointers into this object.
class Configuration {
 public:
  Configuration(const Kernel& kernel, cudaStream_t stream) {
    const LaunchShape& shape = kernel.shape;
    value_.gridDim = dim3(kernel.blocks);
    value_.blockDim = dim3(shape.threads);
    value_.dynamicSmemBytes = shape.shared_bytes;
    value_.stream = stream;
    value_.attrs = attributes_;
    if (shape.cluster > 1) {
      add(cudaLaunchAttributeClusterDimension).clusterDim = {shape.cluster, 1, 1};
    }
    if (shape.dependent != 0) {
      add(cudaLaunchAttributeProgrammaticStreamSerialization)
          .programmaticStreamSerializationAllowed = 1;
    }
    if (kernel.window.num_bytes != 0) {
      add(cudaLaunchAttributeAccessPolicyWindow).accessPolicyWindow = kernel.window;
    }
  }
  Configuration(const Configuration&) = delete;
  Configuration& operator=(const Configuration&) = delete;

  const cudaLaunchConfig_t* get() const { return &value_; }

 private:
  cudaLaunchAttributeValue& add(cudaLaunchAttributeID id) {
    cudaLaunchAttribute& attribute = attributes_[value_.numAttrs++];
    attribute.id = id;
    return attribute.val;
  }

  cudaLaunchAttribute attributes_[3] = {};
  cudaLaunchConfig_t value_ = {};
};

/// Asks the current device, which has so many multiprocessors, how many workers of the kernel are
/// resident at a time. How many clusters are depends on how multiprocessors lie in groups, which
/// the driver knows. Opts the kernel in to its shared memory and to large clusters, so that it must
/// be called before the kernel's first launch, and not while a stream is captured.
inline Status find_workers(const void* function, const LaunchShape& shape, int multiprocessors,
                           long long& workers) {
  const auto set = [&](cudaFuncAttribute attribute, int value, const char* call) {
    return status_of(cudaFuncSetAttribute(function, attribute, value), call);
  };
  Status status =
      set(cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shape.shared_bytes),
          "cudaFuncSetAttribute(MaxDynamicSharedMemorySize)");
  if (status.failed()) return status;
  workers = resident_workers(shape, multiprocessors);
  if (shape.cluster <= 1) return status;
  constexpr unsigned kMostPortable = 8;  // blocks of a cluster on every device that has clusters
  if (shape.cluster > kMostPortable) {
    status = set(cudaFuncAttributeNonPortableClusterSizeAllowed, 1,
                 "cudaFuncSetAttribute(NonPortableClusterSizeAllowed)");
    if (status.failed()) return status;
  }
  const Configuration configuration({function, shape, shape.cluster}, nullptr);
  int clusters = 0;
  status = status_of(cudaOccupancyMaxActiveClusters(&clusters, function, configuration.get()),
                     "cudaOccupancyMaxActiveClusters");
  if (status.failed()) return status;
  if (clusters == 0) return {Failure::kNoCluster};
  workers = std::min<long long>(workers, clusters);
  return status;
}

inline Status enqueue(const Kernel& kernel, const Parameters& parameters, cudaStream_t stream) {
  const Configuration configuration(kernel, stream);
  void* pointers[] = {const_cast<void*>(parameters.data())};
  return status_of(cudaLaunchKernelExC(configuration.get(), kernel.function, pointers),
                   "cudaLaunchKernelExC");
}

}  // namespace msda::runtime
