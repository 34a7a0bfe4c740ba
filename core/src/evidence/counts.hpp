// What the threads of a composition were counted to do, and what its instructions for a GPU are;
// both are kept beside the compiled unit, so that they are found out once.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "facts/evidence.hpp"
#include "jit/module.hpp"

namespace msda {

struct Counts {
  Numbers numbers;
  /// Why policies have nothing to do, as device code says: "prefetch-query: a work item has ...".
  std::vector<std::string> idle;
};

/// The counts kept in `file`; where there are none, where another user could have written them, or
/// where they cannot be read, those of `make`, which are kept then. A file that cannot be written
/// costs time and nothing else.
Counts kept_counts(const std::filesystem::path& file, const std::function<Counts()>& make);

/// Of the kernel `symbol` of a module for a GPU; empty where no disassembler is there, or where it
/// does not read the module.
Numbers sass_numbers(const Module& module, const std::string& symbol);

}  // namespace msda
