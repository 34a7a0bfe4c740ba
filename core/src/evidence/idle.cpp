#include "evidence/idle.hpp"

#include <fmt/format.h>

#include "device/simt/loaded_unit.hpp"

namespace msda {

std::vector<std::string> idle_policies(const ComposedUnit& composed, const LaunchPlan& plan) {
  std::vector<std::string> reasons;
  for (const auto& [slot, name] : composed.filled_slots) {
    const std::string reason(plan.idle[slot].text);
    if (!reason.empty()) reasons.push_back(fmt::format("{}: {}", name, reason));
  }
  return reasons;
}

std::vector<std::string> idle_policies(const ComposedUnit& composed, const HostCompiler& compiler) {
  Unit plan_alone = composed.unit;
  plan_alone.kernels.clear();
  return idle_policies(composed, simt::LoadedUnit(compiler.compile(plan_alone)).plan());
}

}  // namespace msda
