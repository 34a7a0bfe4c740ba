// Run-time compilation of units with the host's C++ compiler, for the executor that runs their
// threads on the CPU (core/src/simt). The cache is that of the CUDA compiler; what is compiled is a
// shared object, whose accesses of memory and basic blocks call the executor.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "files/bytes.hpp"
#include "jit/compiler.hpp"

namespace msda {

class HostCompiler {
 public:
  /// Takes $MSDA_CXX, else g++. Throws EnvironmentError when it does not run or is no GCC.
  explicit HostCompiler(std::filesystem::path cache = {});

  /// Throws Error with the compiler's words and the path of the sources. Safe to call from several
  /// threads and processes at a time. `symbol` of a kernel is a function that takes the address of
  /// its arguments; `plan_symbol` one that returns the address of the plan.
  Module compile(const Unit& unit) const;

  /// "g++ 12.2.0".
  const std::string& version() const { return version_; }

 private:
  std::string key(const Unit& unit) const;
  std::vector<std::string> options(const std::filesystem::path& directory) const;
  Module build(const Unit& unit, const std::filesystem::path& directory) const;
  /// Of what lies in `directory` as unit.cu.
  void compile_object(const Unit& unit, const std::filesystem::path& directory,
                      const std::filesystem::path& object) const;
  void link(const Unit& unit, const std::vector<std::filesystem::path>& objects,
            const std::filesystem::path& directory, const std::filesystem::path& image) const;
  /// The object of what the compiler's instrumentation calls. Compiled once for all units of a
  /// cache: it takes a quarter of the time of a unit.
  Bytes hooks(const Unit& of) const;

  CompileCache cache_;
  std::string program_;
  std::string version_;
};

}  // namespace msda
