// The table of claims, for people.
#pragma once

#include <optional>

#include "layout.hpp"

namespace msda {

/// nullopt for a report without claims.
std::optional<Layout> lay_out_claims(const Report& report);

}  // namespace msda
