// Lines of device headers that a unit, compiled for the host, has code of.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "compose/unit.hpp"

namespace msda {

/// File names without their folders, and numbers of lines.
using CodeLines = std::set<std::pair<std::string, int>>;

/// As the compiler's line table has them, read by objdump. None where the unit does not compile, or
/// objdump does not run.
CodeLines code_lines(const Unit& unit);

}  // namespace msda
