// What is known of the code of an arm.
#pragma once

#include <cstdint>
#include <string>

namespace msda {

/// What the compiler says of a composed kernel; zeros for others.
struct ResourceUse {
  int registers = 0;  ///< per thread
  std::int64_t static_shared_bytes = 0;
  std::int64_t dynamic_shared_bytes = 0;
  std::int64_t spill_bytes = 0;  ///< stores and loads to local memory
  std::string cubin_hash;
  /// Of instructions and launches (device/compiled_unit.hpp); "" of other devices than GPUs, and of
  /// records of earlier versions.
  std::string code_hash{};
};

/// How the code of a composed kernel was obtained.
struct Compilation {
  double seconds = 0;  ///< of compiling it, or of finding it in the cache
  bool from_cache = false;
};

}  // namespace msda
