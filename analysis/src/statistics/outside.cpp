#include "statistics/outside.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace msda {
namespace {

/// Seconds of all parts that are outside, by process and block.
std::map<std::pair<int, int>, double> outside_seconds(const Record& record) {
  std::map<std::pair<int, int>, double> seconds;
  for (const PartTimes& part : record.parts) {
    if (!part.outside) continue;
    for (const SampleBlock& block : part.samples) {
      seconds[{block.process, block.block}] += median_seconds({block}).value_or(0);
    }
  }
  return seconds;
}

}  // namespace

bool has_outside_work(const Record& record) {
  return std::ranges::any_of(record.parts, &PartTimes::outside);
}

std::optional<RatioEstimate> ratio_with_outside(const Record& record, const Record& baseline,
                                                PlannedProcesses planned) {
  const auto outside = outside_seconds(record);
  std::vector<SampleBlock> whole;
  for (SampleBlock block : record.samples) {
    const auto found = outside.find({block.process, block.block});
    if (found == outside.end()) continue;
    for (double& seconds : block.seconds) seconds += found->second;
    whole.push_back(std::move(block));
  }
  if (whole.empty()) return std::nullopt;
  return estimate_ratio(baseline.samples, whole, planned);
}

}  // namespace msda
