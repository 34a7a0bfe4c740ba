#include "tune/simulated_landscape.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runner/worker/group_runner.hpp"

namespace msda::test {
namespace {

/// Every second alternative of a decision has one parameter.
SearchSpace make_space(const LandscapeShape& shape) {
  std::vector<SpaceFactor> factors;
  for (std::size_t d = 0; d < shape.choices.size(); ++d) {
    SpaceFactor choice{fmt::format("d{}", d), {}, {}, {}};
    SpaceFactor parameter{fmt::format("d{}.p", d), {}, factors.size(), {}};
    for (int v = 0; v < shape.values; ++v) parameter.levels.push_back(fmt::format("{}", v));
    for (int a = 0; a < shape.choices[d]; ++a) {
      choice.levels.push_back(fmt::format("a{}", a));
      std::vector<int>& allowed = parameter.allowed.emplace_back();
      for (int v = 0; a % 2 == 1 && v < shape.values; ++v) allowed.push_back(v);
    }
    factors.push_back(std::move(choice));
    factors.push_back(std::move(parameter));
  }
  return {std::move(factors), {}};
}

/// A well mixed number (splitmix64).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

double uniform(std::uint64_t x) {
  return (static_cast<double>(mixed(x) >> 11) + 0.5) / static_cast<double>(std::uint64_t{1} << 53);
}

}  // namespace

Landscape::Landscape(const LandscapeShape& shape, std::uint64_t seed)
    : shape_(shape), seed_(mixed(seed)), space_(make_space(shape)) {
  std::vector<std::uint64_t> names;  // of levels, for the numbers that are drawn
  std::uint64_t factor = 0;
  for (const SpaceFactor& one : space_.factors()) {
    first_.push_back(names.size());
    for (std::uint64_t level = 0; level <= one.levels.size(); ++level)
      names.push_back(100 * factor + level);
    ++factor;
  }
  // Every point has many of these effects, and there are few.
  for (const std::uint64_t a : names) {
    mains_.push_back(effect(a, shape_.main));
    std::vector<double>& with = pairs_.emplace_back();
    for (const std::uint64_t b : names)
      with.push_back(a < b ? effect(10'000 * (a + 1) + b, shape_.pair) : 0);
  }
}

/// Normal with mean 0, by Box and Muller.
double Landscape::effect(std::uint64_t what, double deviation) const {
  constexpr double kTwoPi = 6.283185307179586;
  const std::uint64_t key = mixed(seed_ ^ mixed(what));
  return deviation * std::sqrt(-2 * std::log(uniform(key))) * std::cos(kTwoPi * uniform(key + 1));
}

bool Landscape::can_run(std::uint64_t number) const {
  return uniform(seed_ ^ (number + 77)) >= shape_.refused_share;
}

Pool Landscape::pool(bool listed) const {
  Pool pool{space_, [this](std::uint64_t number) { return can_run(number); }, {}, {}};
  for (std::uint64_t i = 0; listed && i < space_.size(); ++i) {
    if (can_run(i)) pool.all.push_back(i);
  }
  return pool;
}

double Landscape::log_time(std::uint64_t number) const {
  const Levels levels = space_.at(number);
  double sum = effect(1'000'000'000 + number, shape_.own);
  for (std::size_t f = 0; f < levels.size(); ++f) {
    const std::size_t first = place(f, levels[f]);
    sum += mains_[first];
    for (std::size_t g = f + 1; g < levels.size(); ++g) sum += pairs_[first][place(g, levels[g])];
  }
  return sum;
}

double Landscape::best(const std::function<bool(std::uint64_t)>& counts) const {
  double best = 1e9;
  for (std::uint64_t i = 0; i < space_.size(); ++i) {
    if (can_run(i) && counts(i)) best = std::min(best, log_time(i));
  }
  return best;
}

bool SimulatedBench::fails(std::uint64_t candidate) const {
  return uniform(mixed(candidate)) < failing_share;
}

std::vector<Outcome> SimulatedBench::measure(const Trial& trial) {
  const bool fresh = trial.stage == Stage::kKnown || trial.stage == Stage::kHalve;
  seconds_ += (fresh ? start_seconds : 0) +
              candidate_seconds * static_cast<double>(trial.candidates.size());
  std::vector<Outcome> outcomes;
  std::vector<double> own;  // of the process
  std::vector<std::size_t> running;
  for (const std::uint64_t candidate : trial.candidates) {
    if (!fails(candidate)) running.push_back(outcomes.size());
    outcomes.push_back({candidate, fails(candidate) ? "crashed" : "", {}});
    own.push_back(noise() / 4);
  }
  for (int block = 0; block < trial.blocks; ++block) {
    const double of_baseline = noise();
    std::vector<double> means;
    for (const std::size_t i : running) {
      std::vector<double>& logs = outcomes[i].logs;
      logs.push_back(log_time(outcomes[i].candidate) + own[i] + noise() - of_baseline -
                     baseline_log_time);
      double sum = 0;
      for (const double log : logs) sum += log;
      means.push_back(sum / static_cast<double>(logs.size()));
    }
    const std::vector<std::size_t> out = losers(means, block + 1, trial.keep);
    for (std::size_t i = out.size(); i-- > 0;) {
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(out[i]));
    }
  }
  return outcomes;
}

double SimulatedBench::log_time(std::uint64_t candidate) const {
  const auto found = beyond.find(candidate);
  return found == beyond.end() ? landscape_.log_time(candidate) : found->second;
}

void SimulatedBench::confirm(const std::vector<std::uint64_t>& candidates, int processes,
                             int blocks, std::vector<Record>& records) {
  for (std::size_t r = 0; r < records.size(); ++r) {
    const double truth = r == 0 ? baseline_log_time : log_time(candidates[r - 1]);
    records[r].status = CellStatus::kOk;
    for (int process = 0; process < processes; ++process) {
      const double own = noise() / 4;
      for (int block = 0; block < blocks; ++block) {
        records[r].samples.push_back({process, block, {1e-4 * std::exp(truth + own + noise())}});
      }
    }
  }
}

}  // namespace msda::test
