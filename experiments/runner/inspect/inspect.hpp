// A composition as compiled code: what `msda inspect` looks at, with or without a GPU.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compose/composition.hpp"
#include "jit/occupancy.hpp"
#include "jit/sass.hpp"

namespace msda {

struct Inspected {
  std::string name;
  std::string composition;     ///< Composition::describe()
  std::string unit;            ///< the generated text
  std::filesystem::path file;  ///< where it lies, with the headers that it includes
  int threads = 0;             ///< of a block of the main kernel
  int registers = 0;           ///< of a thread
  std::int64_t shared_bytes = 0;
  std::int64_t spill_bytes = 0;
  unsigned resident_blocks = 0;  ///< of each SM, of a persistent grid; 0: a block for each item
  Occupancy occupancy;
  std::optional<SassFunction> sass;  ///< of the main kernel; absent without a disassembler
};

/// Whether the machine code is disassembled, which takes longer than the rest.
enum class Sass { kNo, kYes };

/// Compiles the composition for a problem's constants and an architecture, "sm_90a". Throws
/// UsageError for a whole kernel of a plugin and an unknown architecture, Unsupported where a
/// variant does not take the problem or the architecture, Error with the compiler's words.
Inspected inspect(const std::string& name, const Composition& composition, const Problem& problem,
                  const std::string& architecture, Sass sass = Sass::kYes);

}  // namespace msda
