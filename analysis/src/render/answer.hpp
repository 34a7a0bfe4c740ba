// What a whole run says, before any table: one sentence, and what a reader must know beside it.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"

namespace msda {

/// One or two sentences over all problems and modes: what the factors bring together and which pays
/// most, else which arm is the fastest where; how many cells have no time. "" without tables.
std::string answer(const Report& report);

/// What makes parts of a report worth less than they look, one sentence each: a run that is not
/// complete, plugins that were built without optimization, arms that are wrong or faster than the
/// device can be, a baseline that differs from itself.
std::vector<std::string> warnings_of(const Report& report);

}  // namespace msda
