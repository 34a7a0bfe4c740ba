#include "statistics/prepasses.hpp"

#include <algorithm>

#include "results/counters.hpp"

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
  const auto found = std::ranges::find(parts, kMainPart, &PartMedian::name);
  const auto main = found != parts.end() ? found : parts.end() - 1;
  PrepassSplit split;
  split.kernel_seconds = main->seconds;
  if (baseline != nullptr) {
    const PartTimes& kernel = record.parts[static_cast<std::size_t>(main - parts.begin())];
    split.without = estimate_ratio(baseline->samples, kernel.samples, planned);
  }
  parts.erase(main);
  split.before = std::move(parts);
  return split;
}

}  // namespace msda
