#include "runner/experiment/space_spec.hpp"

#include "runner/experiment/parse.hpp"

namespace msda {

std::vector<Use> uses_at(const Registry& registry, const SpaceSpec& spec, const Levels& levels) {
  const std::vector<SpaceFactor>& factors = spec.space.factors();
  std::vector<Use> chosen;
  for (std::size_t f = 0; f < factors.size(); ++f) {
    if (factors[f].parent) continue;
    const auto& use = spec.choices[f].alternatives.at(static_cast<std::size_t>(levels[f]));
    if (!use) continue;
    chosen.push_back(*use);
    for (std::size_t p = f + 1; p < factors.size(); ++p) {
      if (factors[p].parent != f || levels[p] == kInactive) continue;
      const SpaceChoice& set = spec.choices[p];
      chosen.back().parameters[set.parameter] = set.values.at(static_cast<std::size_t>(levels[p]));
    }
  }
  return overlaid(registry, spec.base, std::move(chosen));
}

}  // namespace msda
