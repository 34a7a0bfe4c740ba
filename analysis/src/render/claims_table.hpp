// The table of claims, for people.
#pragma once

#include <optional>
#include <span>

#include "render/document.hpp"

namespace msda {

/// The claims of all reports, one after the other, with a column for the run where there are
/// several. nullopt without a claim.
std::optional<Layout> lay_out_claims(std::span<const Report> reports);

/// The joined table alone; a note for each run says where it was measured. Throws UsageError
/// without a claim.
Document claims_document(std::span<const Report> reports);

}  // namespace msda
