// What a reader must know beside the answer of a report.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"

namespace msda {

/// What makes parts of a report worth less than they look, one sentence each: a run that is not
/// complete, cells of its plan that have no record, plugins that were built without optimization,
/// arms that are wrong or faster than the device can be, a baseline that differs from itself.
std::vector<std::string> warnings_of(const Report& report);

}  // namespace msda
