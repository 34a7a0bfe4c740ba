// A compiled module loaded on the current device with the runtime's library API, so that nothing
// links libcuda and the program starts on a machine without a driver.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "jit/compiler.hpp"

namespace msda {

class CudaModule {
 public:
  explicit CudaModule(Module module);
  CudaModule(const CudaModule&) = delete;
  CudaModule& operator=(const CudaModule&) = delete;
  ~CudaModule();

  const Module& module() const { return module_; }
  /// A cudaKernel_t, as runtime::Kernel has it.
  const void* kernel(const std::string& name_expression) const;

 private:
  Module module_;
  cudaLibrary_t library_ = nullptr;
};

}  // namespace msda
