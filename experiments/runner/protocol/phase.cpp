#include "runner/protocol/phase.hpp"

namespace msda {

std::chrono::duration<double> time_limit(const Timeouts& timeouts, std::string_view phase) {
  if (phase == phase::kCompile || phase == phase::kEvidence) return timeouts.compile;
  if (phase == phase::kVerify || phase == phase::kVerifyAgain) return timeouts.verify;
  if (phase == phase::kMeasure || phase == phase::kMeasureParts || phase == phase::kProfile ||
      phase == phase::kEnergy) {
    return timeouts.measure;
  }
  return timeouts.prepare;
}

bool is_busy(std::string_view phase) {
  return phase == phase::kVerify || phase == phase::kVerifyAgain || phase == phase::kMeasure ||
         phase == phase::kMeasureParts || phase == phase::kProfile || phase == phase::kEnergy;
}

void PhaseTimes::enter(const std::string& phase) {
  const auto now = std::chrono::steady_clock::now();
  if (!phase_.empty()) seconds_[phase_] += std::chrono::duration<double>(now - since_).count();
  phase_ = phase;
  since_ = now;
}

}  // namespace msda
