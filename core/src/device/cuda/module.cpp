#include "device/cuda/module.hpp"

#include <utility>

#include "device/cuda/check.hpp"

namespace msda {

CudaModule::CudaModule(Module module) : module_(std::move(module)) {
  check(cudaLibraryLoadData(&library_, module_.cubin.data(), nullptr, nullptr, 0, nullptr, nullptr,
                            0),
        "cudaLibraryLoadData");
}

CudaModule::~CudaModule() { cudaLibraryUnload(library_); }

cudaKernel_t CudaModule::kernel(const std::string& name_expression) const {
  cudaKernel_t kernel = nullptr;
  check(cudaLibraryGetKernel(&kernel, library_, module_.kernels.at(name_expression).symbol.c_str()),
        "cudaLibraryGetKernel");
  return kernel;
}

}  // namespace msda
