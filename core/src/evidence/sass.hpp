// Which instructions a GPU's kernel has, as numbers that conditions are about.
#pragma once

#include <string_view>
#include <vector>

#include "facts/evidence.hpp"
#include "jit/sass.hpp"

namespace msda {

/// How often each opcode is in the function `symbol`: "sass.LDGSTS", and with each of its
/// modifiers, "sass.LDG.128". Of all functions when `symbol` is empty.
Numbers count_sass(const std::vector<SassFunction>& code, std::string_view symbol);

}  // namespace msda
