#include "statistics/prepasses.hpp"

namespace msda {

double PrepassSplit::prepass_seconds() const {
  double seconds = 0;
  for (const PartMedian& part : before) seconds += part.seconds;
  return seconds;
}

std::optional<PrepassSplit> split_prepasses(const Record& record, const Record* baseline,
                                            PlannedProcesses planned) {
  if (record.parts.size() < 2) return std::nullopt;
  std::vector<PartMedian> parts;
  for (const PartTimes& part : record.parts) {
    const auto seconds = median_seconds(part.samples);
    if (!seconds) return std::nullopt;
    parts.push_back({part.name, *seconds, part.outside});
  }
  PrepassSplit split;
  split.kernel_seconds = parts.back().seconds;
  parts.pop_back();
  split.before = std::move(parts);
  if (baseline != nullptr) {
    split.without = estimate_ratio(baseline->samples, record.parts.back().samples, planned);
  }
  return split;
}

}  // namespace msda
