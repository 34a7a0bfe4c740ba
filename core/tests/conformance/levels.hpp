// Compositions whose level sizes are no constants, on pyramids that their units were not made from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conformance/simt_checks.hpp"
#include "plugin/levels.hpp"

namespace msda {

/// The composition with its level sizes from there; nullopt if it needs constants.
std::optional<Composition> with_levels(const std::vector<Use>& uses, LevelForm form);

/// The composition with given and with stored sizes, as far as it takes them, each with races
/// looked for on pyramids with 0 to 3 levels on chip, that ascend, or with levels of one row,
/// column or pixel.
std::vector<SimtCheck> level_checks(const std::string& name, const std::vector<Use>& uses);
/// The same of `fused` with a padding mask, as far as the composition computes that.
std::vector<SimtCheck> padded_level_checks(const std::string& name, const std::vector<Use>& uses);

/// Both for compositions in which each policy that asks for a level's size, and each way of reading
/// the sizes, is once.
std::vector<SimtCheck> forward_level_checks();

/// The same for compositions of the skeleton `backward` in which each policy that asks for a
/// level's size meets fp32, fp16 and a zero border.
std::vector<SimtCheck> backward_level_checks();

}  // namespace msda
