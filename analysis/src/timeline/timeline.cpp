#include "timeline/timeline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace msda {
namespace {

constexpr double kSameShare = 0.01;
constexpr double kLeastShare = 1e-4;  ///< less is no more than rounding

constexpr std::array kUses = {"idle",    "compile", "inputs", "prepare", "verify", "warm up",
                              "samples", "parts",   "flush",  "check",   "other"};
constexpr std::size_t kOther = kUses.size() - 1;

std::size_t use_of(std::string_view name) {
  const auto found = std::ranges::find(kUses, name);
  return found == kUses.end() ? kOther : static_cast<std::size_t>(found - kUses.begin());
}

/// What a phase without steps is for.
std::size_t use_of_phase(const std::string& phase) {
  static const std::map<std::string, std::string> kPhases = {
      {"start", "idle"},         {"between", "idle"},     {"inputs and references", "inputs"},
      {"check", "prepare"},      {"teardown", "prepare"}, {"check time", "prepare"},
      {"verify again", "verify"}};
  const auto found = kPhases.find(phase);
  return use_of(found == kPhases.end() ? phase : found->second);
}

/// Shares of a range's time, by use; they add up to 1.
std::array<double, kUses.size()> shares_of(const RunRange& range) {
  std::array<double, kUses.size()> shares{};
  const double length = range.end - range.begin;
  double stepped = 0;
  for (const auto& [name, seconds] : range.steps) stepped += seconds;
  const double scale = 1 / std::max(stepped, length);
  for (const auto& [name, seconds] : range.steps) shares[use_of(name)] += seconds * scale;
  const std::size_t rest = range.steps.empty() ? use_of_phase(range.phase) : kOther;
  shares[rest] += 1 - stepped * scale;
  return shares;
}

/// In the order of their begins, from 0 on, without pauses. The ranges of a process that is at work
/// follow each other without a gap, so that one which no range fills is none of the run's time.
std::vector<RunRange> aligned(std::vector<RunRange> ranges) {
  std::erase_if(ranges, [](const RunRange& range) { return !(range.end > range.begin); });
  std::ranges::stable_sort(ranges,
                           [](const RunRange& a, const RunRange& b) { return a.begin < b.begin; });
  if (ranges.empty()) return ranges;
  double cut = ranges.front().begin;
  double reached = ranges.front().begin;
  for (RunRange& range : ranges) {
    if (range.begin > reached) cut += range.begin - reached;
    reached = std::max(reached, range.end);
    range.begin -= cut;
    range.end -= cut;
  }
  return ranges;
}

using Bins = std::vector<std::array<double, kUses.size()>>;

/// Seconds of each use in each of the stretches that the run is cut into.
Bins binned(const std::vector<RunRange>& ranges, double width) {
  Bins bins(kMostStrips);
  const auto last = static_cast<double>(kMostStrips - 1);
  for (const RunRange& range : ranges) {
    const auto shares = shares_of(range);
    const auto first = static_cast<std::size_t>(std::min(last, std::floor(range.begin / width)));
    const auto end = static_cast<std::size_t>(std::min(last, std::floor(range.end / width)));
    for (std::size_t i = first; i <= end; ++i) {
      const double from = std::max(range.begin, static_cast<double>(i) * width);
      const double to = std::min(range.end, static_cast<double>(i + 1) * width);
      for (std::size_t use = 0; use < kUses.size(); ++use) {
        bins[i][use] += std::max(0.0, to - from) * shares[use];
      }
    }
  }
  return bins;
}

void add_strips(const Bins& bins, std::size_t use, double capacity, double width,
                Timeline& timeline) {
  const std::size_t before = timeline.strips.size();
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const double share = std::min(1.0, bins[i][use] / capacity);
    if (share < kLeastShare) continue;
    const double begin = static_cast<double>(i) * width;
    TimeStrip* last = timeline.strips.size() > before ? &timeline.strips.back() : nullptr;
    const bool goes_on = last != nullptr && std::abs(last->end - begin) < 1e-6 * width &&
                         std::abs(last->share - share) < kSameShare;
    if (goes_on) {
      last->end = begin + width;
    } else {
      timeline.strips.push_back({kUses[use], begin, begin + width, share});
    }
  }
}

}  // namespace

double Timeline::total() const {
  return std::accumulate(uses.begin(), uses.end(), 0.0,
                         [](double sum, const TimeUse& use) { return sum + use.seconds; });
}

std::optional<Timeline> make_timeline(const std::vector<RunRange>& given) {
  const std::vector<RunRange> ranges = aligned(given);
  if (ranges.empty()) return std::nullopt;
  Timeline timeline;
  std::set<std::string> devices;
  for (const RunRange& range : ranges) {
    timeline.seconds = std::max(timeline.seconds, range.end);
    devices.insert(range.device);
  }
  const double width = timeline.seconds / static_cast<double>(kMostStrips);
  const Bins bins = binned(ranges, width);
  for (std::size_t use = 0; use < kUses.size(); ++use) {
    double seconds = 0;
    for (const auto& bin : bins) seconds += bin[use];
    if (seconds <= 0) continue;
    timeline.uses.push_back({kUses[use], seconds});
    add_strips(bins, use, width * static_cast<double>(devices.size()), width, timeline);
  }
  return timeline;
}

}  // namespace msda
