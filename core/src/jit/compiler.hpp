// Run-time compilation of units with NVRTC, behind a cache on disk.
//
// A cache entry is the directory cache/jit/<key>: the sources as compiled (so that a profiler finds
// the lines that -lineinfo names), kernel.cubin, and build.json, which is written last and makes
// the entry complete. The key hashes the NVRTC version, the architecture, the options, the unit and
// every header; what is stored is checked each time it is used.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "compose/unit.hpp"
#include "jit/compile_cache.hpp"
#include "jit/module.hpp"

namespace msda {

class Compiler {
 public:
  /// Finds CUDA's headers (CUDA_HOME, CUDA_PATH, beside libnvrtc, /usr/local/cuda). Throws
  /// EnvironmentError that lists the places looked at, or says that the program has no NVRTC.
  explicit Compiler(std::filesystem::path cache = {});

  /// `architecture` as NVRTC knows it, "sm_90a"; of "compute_90" the module has PTX in the place of
  /// a cubin, and says nothing of resources. Throws Error with the compiler's log and the path
  /// of the sources. Safe to call from several threads and processes at a time.
  Module compile(const Unit& unit, const std::string& architecture) const;

  const std::filesystem::path& cuda_headers() const { return cuda_headers_; }

 private:
  std::string key(const Unit& unit, const std::string& architecture) const;
  std::vector<std::string> options(const Unit& unit, const std::filesystem::path& directory,
                                   const std::string& architecture) const;

  Module build(const Unit& unit, const std::string& architecture,
               const std::filesystem::path& directory) const;

  CompileCache cache_;
  std::filesystem::path cuda_headers_;
};

/// "13.0", or "" when the program was built without NVRTC.
std::string nvrtc_version();

/// The most specific architecture for a device: "sm_90a" for 90, else "sm_<capability>".
std::string architecture_name(int compute_capability);

}  // namespace msda
