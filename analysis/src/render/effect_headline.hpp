// What an ablation says of one problem, in words.
#pragma once

#include <string>
#include <string_view>

#include "ablation/ablation.hpp"

namespace msda {

/// How effects of a kind look at a factor: "alone on the base".
std::string_view view_of(EffectKind kind);

/// What all factors together bring and how sure that is; which factors pay, by how much, the best
/// first; which cost, make no difference or stay undecided; the strongest interaction.
std::string headline(const AblationTable& table);

}  // namespace msda
