// The run-time compiler of a program that was built without CUDA, and where its headers lie: it
// says that there are none.
#include <fmt/format.h>

#include <msda/error.hpp>

#include "jit/compiler.hpp"
#include "jit/cuda_headers.hpp"

namespace msda {

namespace {

[[noreturn]] void fail() {
  throw EnvironmentError("this program has no CUDA compiler: " MSDA_CUDA_MISSING
                         "; install the CUDA toolkit and build again");
}

}  // namespace

std::filesystem::path find_cuda_headers() { fail(); }

Compiler::Compiler(std::filesystem::path cache) : cache_(std::move(cache)) { fail(); }

Module Compiler::compile(const Unit& unit, const std::string& architecture) const {
  throw EnvironmentError(
      fmt::format("cannot compile {} for {}: no CUDA compiler", unit.label, architecture));
}

std::string nvrtc_version() { return ""; }

}  // namespace msda
