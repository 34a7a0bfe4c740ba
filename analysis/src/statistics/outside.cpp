#include "statistics/outside.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace msda {
namespace {

/// Parts that are timed one by one take a little longer than their launch.
constexpr double kClearlyMore = 1.2;

/// What the parts of a launch took, in seconds.
struct PartSeconds {
  double outside = 0;
  double inside = 0;
};

/// By process and block.
std::map<std::pair<int, int>, PartSeconds> seconds_of_parts(const Record& record) {
  std::map<std::pair<int, int>, PartSeconds> seconds;
  for (const PartTimes& part : record.parts) {
    for (const SampleBlock& block : part.samples) {
      PartSeconds& of_block = seconds[{block.process, block.block}];
      (part.outside ? of_block.outside : of_block.inside) += median_seconds({block}).value_or(0);
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
  if (!has_outside_work(record)) return std::nullopt;
  const auto parts = seconds_of_parts(record);
  std::vector<SampleBlock> whole;
  for (SampleBlock block : record.samples) {
    const auto found = parts.find({block.process, block.block});
    if (found == parts.end()) continue;
    // What the outside part leaves to a thread, the part after it has to wait for.
    const double timed = median_seconds({block}).value_or(0);
    const double more =
        found->second.inside > kClearlyMore * timed ? found->second.inside - timed : 0;
    for (double& seconds : block.seconds) seconds += found->second.outside + more;
    whole.push_back(std::move(block));
  }
  if (whole.empty()) return std::nullopt;
  return estimate_ratio(baseline.samples, whole, planned);
}

std::optional<RatioEstimate> ratio_with_outside(const Table& table, const Row& row) {
  const Row* const baseline = baseline_row(table);
  if (baseline == nullptr || !baseline->timed()) return std::nullopt;
  return ratio_with_outside(row.record, baseline->record, table.planned);
}

}  // namespace msda
