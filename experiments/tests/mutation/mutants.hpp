// Wrong edits of device code, read from mutants.yaml.
#pragma once

#include <cstdint>
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
  std::string first;          ///< suite or variant whose checks come first; may be empty
  std::string equivalent;     ///< why it changes no result; empty when it does
  bool is_generated = false;  ///< by generate_mutants(): it may not compile, or change no result
};

/// Throws Error for a file that says something else.
std::vector<Mutant> read_mutants(const std::filesystem::path& file);

/// `count` edits of these device headers, drawn by the seed: conditions negated, numbers and
/// comparisons off by one, statements dropped, neighbouring arguments exchanged. `find` is whole
/// lines, which stand once in their file.
std::vector<Mutant> generate_mutants(const std::vector<UnitHeader>& headers, std::size_t count,
                                     std::uint64_t seed);

/// Makes the edit. Throws Error when the unit has no such file, or the file does not have the text
/// exactly once.
void apply(const Mutant& mutant, Unit& unit);

/// True when the unit's text includes the file, directly or not.
bool includes(const Unit& unit, const std::string& file);

}  // namespace msda
