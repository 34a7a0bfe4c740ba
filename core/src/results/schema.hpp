// Versions of the files that a run leaves.
#pragma once

#include <string_view>

#include <fmt/format.h>
#include <msda/error.hpp>

namespace msda {

/// Throws UsageError: `what` has a schema that is none of those up to `newest`, which this program
/// reads.
[[noreturn]] inline void throw_unknown_schema(std::string_view what, int schema, int newest) {
  throw UsageError(fmt::format(
      "{} has schema {}; this program reads schemas 1 to {}: use the version of msda that "
      "wrote it, or a later one",
      what, schema, newest));
}

}  // namespace msda
