// What a compiler makes of a unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace msda {

/// What the assembler reports of one kernel.
struct KernelBuild {
  std::string symbol;  ///< mangled name in the module
  int registers = 0;
  std::int64_t static_shared_bytes = 0;
  std::int64_t spill_bytes = 0;  ///< stores + loads
};

struct Module {
  std::filesystem::path directory;  ///< the cache entry
  std::vector<std::byte> cubin;     ///< or the shared object of a unit compiled for the host
  std::string hash;                 ///< XXH3-128 of it
  std::map<std::string, KernelBuild> kernels;  ///< by name expression
  std::string plan_symbol;
  bool from_cache = false;
  std::string log;  ///< compiler's and assembler's words
};

}  // namespace msda
