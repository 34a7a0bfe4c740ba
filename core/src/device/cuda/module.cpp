#include "device/cuda/module.hpp"

#include <utility>

#include <msda/runtime/images.hpp>

#include "device/cuda/check.hpp"

namespace msda {

CudaModule::CudaModule(Module module) : module_(std::move(module)) {
  check(runtime::load_image(module_.cubin.data(), library_));
}

CudaModule::~CudaModule() { cudaLibraryUnload(library_); }

const void* CudaModule::kernel(const std::string& name_expression) const {
  const void* kernel = nullptr;
  check(
      runtime::find_function(library_, module_.kernels.at(name_expression).symbol.c_str(), kernel));
  return kernel;
}

}  // namespace msda
