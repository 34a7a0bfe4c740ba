// What becomes of an experiment's claims on a device.
#include <algorithm>

#include <fmt/format.h>

#include "runner/plan/plan.hpp"

namespace msda {
namespace {

/// Why an arm of the experiment is not in the plan; "" when it is.
std::string left_out_reason(const std::string& name, const Experiment& experiment,
                            const Plan& plan) {
  const auto is_called = [&](const auto& arm) { return arm.name == name; };
  if (std::any_of(plan.arms.begin(), plan.arms.end(), is_called)) return "";
  if (std::none_of(experiment.arms.begin(), experiment.arms.end(), is_called)) return "";
  return fmt::format("{} is left out: it does not run on {}", name, plan.device.id);
}

/// Of the best of several arms those that are left may speak.
std::string left_out_reason(const std::vector<std::string>& arms, const Experiment& experiment,
                            const Plan& plan) {
  std::string reason;
  for (const std::string& arm : arms) {
    reason = left_out_reason(arm, experiment, plan);
    if (reason.empty()) break;
  }
  return reason;
}

/// Warm where it is measured, else the first mode.
TimingMode default_mode(const MeasureSettings& measure) {
  const auto warm = std::find(measure.modes.begin(), measure.modes.end(), kUsualMode);
  return warm == measure.modes.end() ? measure.modes.front() : *warm;
}

}  // namespace

std::vector<Claim> planned_claims(const Experiment& experiment, const Plan& plan) {
  std::vector<Claim> claims = experiment.claims;
  for (Claim& claim : claims) {
    if (!claim.mode) claim.mode = default_mode(plan.measure);
    if (claim.quantity == Claim::Quantity::kNotTestable) continue;
    claim.left_out = left_out_reason(claim.arms, experiment, plan);
    if (claim.quantity != Claim::Quantity::kSpeedup && !claim.is_of_identity()) continue;
    // A claim about the experiment's baseline says nothing about one that takes its place.
    if (claim.over.empty()) claim.over = {experiment.baseline.value_or(plan.baseline)};
    if (claim.left_out.empty()) claim.left_out = left_out_reason(claim.over, experiment, plan);
  }
  return claims;
}

}  // namespace msda
