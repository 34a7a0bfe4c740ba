// The recipes that ship, as checks on the device simt.
#pragma once

#include <vector>

#include "conformance/simt_checks.hpp"

namespace msda {

/// The recipes of recipes.yaml.
std::vector<Composition> shipped_recipes();
/// A preset with all tensors in fp16.
Problem in_half(const char* preset);

/// Each in the documents' shape with several images and one row more than whole tiles, so that
/// blocks have several of them; and in turn on a bordered problem, one of three heads and five
/// points, and one in bf16. Of recipes that differ in numbers alone the first; the slow tests run
/// the others.
std::vector<SimtCheck> recipe_checks();
std::vector<SimtCheck> recipe_number_checks();

/// The recipes that do not need constant level sizes, with given and with stored ones (levels.hpp).
std::vector<SimtCheck> recipe_level_checks();

}  // namespace msda
