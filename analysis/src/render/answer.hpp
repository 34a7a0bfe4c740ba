// What a whole run says, before any table, in one sentence or two.
#pragma once

#include <string>

#include "report/report.hpp"

namespace msda {

/// One or two sentences over all problems and modes: what the factors bring together and which pays
/// most, else which arm is the fastest where; how many cells have no time. "" without tables.
std::string answer(const Report& report);

}  // namespace msda
