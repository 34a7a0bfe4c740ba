#include "jit/nvrtc.hpp"

#include <cuda.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

#include <msda/error.hpp>

namespace msda {

void* nvrtc_function(const char* name) {
  static const std::string kFile = fmt::format("libnvrtc.so.{}", CUDA_VERSION / 1000);
  static void* const kLibrary = ::dlopen(kFile.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const function = kLibrary == nullptr ? nullptr : ::dlsym(kLibrary, name);
  if (function != nullptr) return function;
  throw EnvironmentError(fmt::format(
      "kernels are compiled by {} of the CUDA toolkit, which {}; name the folder where it lies in "
      "LD_LIBRARY_PATH",
      kFile, kLibrary == nullptr ? "is not found" : fmt::format("has no {} here", name)));
}

}  // namespace msda
