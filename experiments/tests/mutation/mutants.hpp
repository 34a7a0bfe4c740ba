// Wrong edits of device code, read from mutants.yaml.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compose/unit.hpp"

namespace msda {

struct Mutant {
  std::string what;  ///< "parity never flips"
  std::string file;  ///< as units include it, "tma_boxes/row_boxes.cuh"
  std::string find;
  std::string replace;
  std::string first;       ///< suite of checks that is tried before the others; may be empty
  std::string equivalent;  ///< why it changes no result; empty when it does
};

/// Throws Error for a file that says something else.
std::vector<Mutant> read_mutants(const std::filesystem::path& file);

/// Makes the edit. Throws Error when the unit has no such file, or the file does not have the text
/// exactly once.
void apply(const Mutant& mutant, Unit& unit);

/// True when the unit's text includes the file, directly or not.
bool includes(const Unit& unit, const std::string& file);

}  // namespace msda
