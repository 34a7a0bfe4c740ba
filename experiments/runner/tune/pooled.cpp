#include "runner/tune/pooled.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "statistics/statistics.hpp"

namespace msda {
namespace {

const Record* record_of(const std::vector<Record>& records, const std::string& arm) {
  const auto found =
      std::ranges::find_if(records, [&](const Record& record) { return record.arm == arm; });
  return found == records.end() ? nullptr : &*found;
}

std::optional<double> seconds_of(const Record& record) {
  return record.status == CellStatus::kOk ? median_seconds(record.samples) : std::nullopt;
}

/// In the blocks that all have.
std::vector<SampleBlock> mean_samples(const std::vector<const Record*>& records) {
  LogTimes sums = log_medians(records.front()->samples);
  for (std::size_t p = 1; p < records.size(); ++p) {
    const LogTimes own = log_medians(records[p]->samples);
    std::erase_if(sums, [&](const auto& one) { return !own.contains(one.first); });
    for (auto& [block, sum] : sums) sum += own.at(block);
  }
  std::vector<SampleBlock> samples;
  for (const auto& [block, sum] : sums) {
    const double mean = std::exp(sum / static_cast<double>(records.size()));
    samples.push_back({block.first, block.second, {mean}});
  }
  return samples;
}

}  // namespace

std::vector<Record> pooled(const std::vector<std::vector<Record>>& problems) {
  if (problems.size() == 1) return problems.front();
  std::vector<Record> all;
  for (const Record& first : problems.front()) {
    std::vector<const Record*> own;
    for (const std::vector<Record>& records : problems) {
      if (const Record* record = record_of(records, first.arm)) own.push_back(record);
    }
    if (own.size() < problems.size()) continue;
    const auto bad = std::ranges::find_if(
        own, [](const Record* record) { return record->status != CellStatus::kOk; });
    all.push_back(bad == own.end() ? first : **bad);
    if (bad == own.end()) all.back().samples = mean_samples(own);
  }
  return all;
}

double worst_of(const std::string& arm, const std::vector<std::vector<Record>>& problems) {
  double worst = 1;
  for (const std::vector<Record>& records : problems) {
    const Record* const record = record_of(records, arm);
    const auto own = record != nullptr ? seconds_of(*record) : std::nullopt;
    if (!own) return 0;
    for (const Record& other : records) {
      if (const auto seconds = seconds_of(other)) worst = std::min(worst, *seconds / *own);
    }
  }
  return worst;
}

}  // namespace msda
