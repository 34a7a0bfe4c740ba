#include "runner/supervise/range_log.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

namespace msda {
namespace {

constexpr double kLongest = 1;  ///< seconds of a range that neighbours are added to

double now_seconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

/// A step of the timed phases; the worker gives it this name.
constexpr const char* kSamples = "samples";
constexpr const char* kFlush = "flush";

}  // namespace

void RangeLog::begin_group(const std::string& problem, TimingMode mode) {
  problem_ = problem;
  mode_ = std::string(name_of(mode));
  flushes_caches_ = traits_of(mode).flushes_caches;
  may_join_ = false;
}

void RangeLog::end_group() {
  problem_ = mode_ = "";
  flushes_caches_ = false;
  may_join_ = false;
}

void RangeLog::enter(const std::string& phase, std::map<std::string, double> steps) {
  const double now = now_seconds();
  end_range(std::move(steps), now);
  phase_ = phase;
  since_ = now;
  sampled_ = 0;
}

void RangeLog::add_samples(const std::vector<double>& seconds) {
  sampled_ = std::accumulate(seconds.begin(), seconds.end(), sampled_);
}

void RangeLog::end_range(std::map<std::string, double> steps, double now) {
  if (phase_.empty()) return;
  const auto samples = steps.find(kSamples);
  if (flushes_caches_ && samples != steps.end() && sampled_ > 0) {
    const double taken = std::min(samples->second, sampled_);
    steps[kFlush] = samples->second - taken;
    samples->second = taken;
  }
  const bool joins = may_join_ && !ended_.empty() && ended_.back().phase == phase_ &&
                     now - ended_.back().begin < kLongest;
  if (!joins) ended_.push_back({device_, problem_, mode_, phase_, since_, now, {}});
  ended_.back().end = now;
  for (const auto& [name, seconds] : steps) ended_.back().steps[name] += seconds;
  may_join_ = true;
}

std::vector<RunRange> RangeLog::take() {
  const double now = now_seconds();
  end_range({}, now);
  since_ = now;
  may_join_ = false;
  return std::exchange(ended_, {});
}

}  // namespace msda
