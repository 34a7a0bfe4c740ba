#include "runner/tune/search.hpp"

#include <algorithm>

#include "runner/tune/propose.hpp"
#include "runner/tune/screen.hpp"

namespace msda {
namespace {

constexpr std::size_t kBatch = 96;        ///< candidates compiled and measured together
constexpr std::size_t kFirstBatch = 32;   ///< while nobody knows what a candidate costs
constexpr std::size_t kProposed = 48;     ///< of a proposal, after which the model is fitted anew
constexpr std::size_t kHalved = 48;       ///< candidates that go into the halving
constexpr std::size_t kHalvedTwice = 12;  ///< and into its second round
constexpr int kBlocks = 8;                ///< of the best of a batch; most stop earlier
constexpr int kHalvingBlocks = 16;
/// What a candidate costs that is confirmed, of one that is tried: it has more samples, and need
/// not be compiled.
constexpr double kConfirmedCost = 1.6;
/// Fewer processes say little of how they differ.
constexpr int kFewestConfirming = 3;
/// Of the budget, for the samples of the confirmation, however little the search has left.
constexpr double kSampling = 0.25;

/// Spelled out, so that a seed gives the same order with every standard library.
void shuffle(std::vector<std::uint64_t>& numbers, std::mt19937_64& random) {
  for (std::size_t i = numbers.size(); i > 1; --i) std::swap(numbers[i - 1], numbers[random() % i]);
}

std::vector<std::uint64_t> part(const std::vector<std::uint64_t>& numbers, std::size_t begin,
                                std::size_t count) {
  const std::size_t end = std::min(numbers.size(), begin + count);
  return {numbers.begin() + static_cast<std::ptrdiff_t>(begin),
          numbers.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace

Search::Search(const Pool& pool, Bench& bench, const SearchSettings& settings, OnTrial on_trial)
    : pool_(pool),
      bench_(bench),
      settings_(settings),
      on_trial_(std::move(on_trial)),
      random_(settings.seed) {}

SearchEnd Search::run() {
  try_known();
  if (!enumerate()) {
    screen();
    refine();
  }
  halve();
  end_.measured = board_.timed();
  end_.failed = board_.all().size() - end_.measured;
  return end_;
}

void Search::measure(Stage stage, std::vector<std::uint64_t> candidates) {
  if (candidates.empty()) return;
  const bool halving = stage == Stage::kHalve;
  const std::size_t keep = std::max(settings_.finalists, candidates.size() / (halving ? 4 : 8));
  const Trial trial{stage, std::move(candidates), halving ? kHalvingBlocks : kBlocks,
                    static_cast<int>(keep)};
  if (on_trial_) on_trial_(trial, board_, false);
  const double before = bench_.seconds();
  for (const Outcome& outcome : bench_.measure(trial)) {
    board_.add(outcome);
    if (halving) round_.add(outcome);
  }
  const double each = (bench_.seconds() - before) / static_cast<double>(trial.candidates.size());
  if (!halving && stage != Stage::kKnown) {
    candidate_seconds_ = candidate_seconds_ == 0 ? each : (candidate_seconds_ + each) / 2;
  }
  if (on_trial_) on_trial_(trial, board_, true);
}

void Search::try_known() {
  std::vector<std::uint64_t> first = pool_.known;
  if (first.empty()) {  // any will do
    if (const auto point = draw(pool_, random_)) first.push_back(*point);
  }
  first_candidates_ = first.size();
  measure(Stage::kKnown, std::move(first));
  first_seconds_ = bench_.seconds();
}

/// What the first trial took beside its candidates; half of it while nobody knows what those cost.
double Search::start_seconds() const {
  if (candidate_seconds_ == 0) return first_seconds_ / 2;
  return std::max(0.0,
                  first_seconds_ - static_cast<double>(first_candidates_) * candidate_seconds_);
}

double Search::halving_seconds(std::size_t candidates) const {
  return start_seconds() + candidate_seconds_ * static_cast<double>(candidates);
}

double Search::confirming_seconds() const {
  const auto confirmed = static_cast<double>(settings_.finalists + 2);  // with the baseline twice
  return start_seconds() + kConfirmedCost * candidate_seconds_ * confirmed;
}

std::size_t Search::affordable() const {
  const double left = seconds_left() - halving_seconds(kHalved) - halving_seconds(kHalvedTwice) -
                      settings_.confirming_processes * confirming_seconds();
  if (left <= 0) return 0;
  if (candidate_seconds_ == 0) return kFirstBatch;
  return static_cast<std::size_t>(left / candidate_seconds_);
}

/// False when the space is too large, or turns out to be so for the budget.
bool Search::enumerate() {
  if (pool_.all.empty() || pool_.all.size() > settings_.enumerate) return false;
  std::vector<std::uint64_t> order;
  for (const std::uint64_t candidate : pool_.all) {
    if (!board_.knows(candidate)) order.push_back(candidate);
  }
  shuffle(order, random_);
  for (std::size_t i = 0; i < order.size();) {
    const bool first = candidate_seconds_ == 0;
    if (affordable() < (first ? 1 : order.size() - i)) return false;
    const std::vector<std::uint64_t> batch = part(order, i, first ? kFirstBatch : kBatch);
    i += batch.size();
    measure(Stage::kEnumerate, batch);
  }
  end_.whole = true;
  return true;
}

void Search::screen() {
  // At most half of the time: what the screen suggests is worth more than the screen.
  std::size_t wanted = screening_size(pool_.space);
  std::vector<std::uint64_t> points = screening_points(pool_, wanted, random_);
  std::erase_if(points, [this](std::uint64_t point) { return board_.knows(point); });
  for (std::size_t i = 0; i < points.size();) {
    const std::size_t left = affordable();
    const std::size_t count = std::min(kBatch, left);
    if (count == 0 || i > left) break;
    measure(Stage::kScreen, part(points, i, count));
    i += count;
  }
}

void Search::refine() {
  for (;;) {
    const std::size_t count = std::min(kProposed, affordable());
    end_.out_of_time = count == 0;
    if (end_.out_of_time || board_.leaders(1).empty()) return;
    std::vector<std::uint64_t> next = propose(pool_, board_, count, random_);
    if (next.empty()) return;
    measure(Stage::kRefine, std::move(next));
  }
}

/// Two rounds, each in a process and with inputs of its own, decided by its own blocks alone. A
/// round that would take the time of the fewest processes that confirm is left out.
void Search::halve() {
  std::vector<std::uint64_t> best = board_.leaders(kHalved);
  const Scoreboard* deciding = &board_;
  for (const std::size_t stay : {kHalvedTwice, settings_.finalists}) {
    const double needed = halving_seconds(best.size()) + kFewestConfirming * confirming_seconds();
    if (seconds_left() < needed) break;
    round_ = {};
    measure(Stage::kHalve, std::move(best));
    best = round_.leaders(stay);
    deciding = &round_;
  }
  best.resize(std::min(best.size(), settings_.finalists));
  for (const std::uint64_t finalist : best) {
    end_.log_times.push_back(deciding->all().at(finalist).log_time());
  }
  end_.finalists = std::move(best);
  end_.confirming_processes = confirming_processes();
  end_.sampling_seconds = std::max(seconds_left(), kSampling * settings_.budget_seconds);
}

int Search::confirming_processes() const {
  const double all = settings_.confirming_processes;
  const double each = confirming_seconds();
  if (seconds_left() >= all * each) return settings_.confirming_processes;
  const double fewest = std::min<double>(kFewestConfirming, all);
  return static_cast<int>(std::clamp(seconds_left() / each, fewest, all));
}

}  // namespace msda
