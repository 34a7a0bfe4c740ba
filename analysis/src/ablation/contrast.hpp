// Effects as weighted sums of log speeds, and their estimates from blocks.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ablation/ablation.hpp"

namespace msda {

/// Weights of the arms' log speeds; they add up to 0.
using Weights = std::vector<double>;

/// An effect before it is estimated.
struct Contrast {
  std::string label;
  std::vector<std::size_t> factors;
  std::optional<Weights> weights;
  std::string reason;            ///< without weights: why
  std::vector<Weights> sampled;  ///< `weights` is the mean of these random draws; usually empty
};

struct ContrastFamily {
  EffectKind kind = EffectKind::kTotal;
  std::vector<Contrast> contrasts;
  std::string remark;
};

/// In log(speed-up), over the blocks in which all arms with a weight have a time; with several
/// processes over their means. nullopt without a common block.
std::optional<LogEstimate> estimate(const Weights& weights, const std::vector<LogTimes>& arms,
                                    PlannedProcesses planned = {});
/// The same, with the spread between the draws of a sampled contrast in the standard error.
std::optional<LogEstimate> estimate(const Contrast& contrast, const std::vector<LogTimes>& arms,
                                    PlannedProcesses planned = {});

/// Fills verdict, p-values and interval of each effect from its estimate (nullopt where there is
/// none), corrected over all of them: better or worse where "no effect" is rejected at 5%, equal
/// where "differs by the threshold or more" is.
void judge(const std::vector<std::optional<LogEstimate>>& estimates, std::vector<Effect>& effects);

}  // namespace msda
