// The run-time compiler of a program that was built without CUDA: it says so.
#include <fmt/format.h>

#include <msda/error.hpp>

#include "jit/compiler.hpp"

namespace msda {

Compiler::Compiler(std::filesystem::path cache) : cache_(std::move(cache)) {
  throw EnvironmentError("this program has no CUDA compiler: " MSDA_CUDA_MISSING
                         "; install the CUDA toolkit and build again");
}

Module Compiler::compile(const Unit& unit, const std::string& architecture) const {
  throw EnvironmentError(
      fmt::format("cannot compile {} for {}: no CUDA compiler", unit.label, architecture));
}

std::string nvrtc_version() { return ""; }

}  // namespace msda
