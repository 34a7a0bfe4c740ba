// The search on landscapes whose truth is known: 2% noise on every block, 2% of the candidates
// failing, processes that differ by half a percent.
#include <atomic>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parallel.hpp"
#include "runner/tune/screen.hpp"
#include "runner/tune/search.hpp"
#include "runner/worker/group_runner.hpp"
#include "tune/simulated_landscape.hpp"
#include "tuning/confirmation.hpp"

namespace msda::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double kNoise = 0.02;
constexpr int kSeeds = 100;

/// The end of a search, and what a confirmation makes of it.
struct Found {
  SearchEnd end;
  double best = 0;    ///< log time of the best point that does not fail
  double chosen = 0;  ///< of the winner; 0, the baseline's, where none is confirmed
  bool confirmed = false;
  bool says_right = true;  ///< the winner is faster than the baseline indeed
  double seconds = 0;
};

/// Records as a confirmation leaves them, in five processes of twenty blocks.
std::vector<Record> confirmation_records(SimulatedBench& bench, const SearchEnd& end) {
  std::vector<Record> records(1 + end.finalists.size());
  records[0].arm = records[0].composition = "baseline";
  records[0].baseline = true;
  for (std::size_t i = 0; i < end.finalists.size(); ++i) {
    Record& record = records[i + 1];
    record.arm = record.composition = std::to_string(end.finalists[i]);
  }
  bench.confirm(end.finalists, 5, 20, records);
  return records;
}

Found search(const LandscapeShape& shape, bool listed, std::uint64_t seed, double budget,
             double baseline_gain = 0) {
  const Landscape landscape(shape, seed);
  SimulatedBench bench(landscape, kNoise, 31 * seed + 7);
  const Pool pool = landscape.pool(listed);
  SearchSettings settings;
  settings.seed = seed;
  settings.budget_seconds = budget;
  Found found;
  found.best = landscape.best([&](std::uint64_t number) { return !bench.fails(number); });
  // The baseline is as much slower than the best as is asked for; 0 makes it as fast.
  bench.baseline_log_time = found.best + baseline_gain;
  found.end = Search(pool, bench, settings).run();
  found.seconds = bench.seconds();
  const std::vector<Confirmation> confirmations = confirm(confirmation_records(bench, found.end));
  found.chosen = bench.baseline_log_time;
  if (const Confirmation* winner = confirmed_winner(confirmations)) {
    found.confirmed = true;
    found.chosen = landscape.log_time(std::stoull(winner->arm));
    found.says_right = found.chosen < bench.baseline_log_time;
  }
  return found;
}

struct Tally {
  int best_found = 0;  ///< the true best, or one whose true time is within 1% of it
  int confirmed = 0;
  int wrong = 0;  ///< a gain that is none was confirmed
  std::uint64_t measured = 0;
};

Tally tally(const LandscapeShape& shape, bool listed, double budget, double baseline_gain) {
  std::vector<Found> found(kSeeds);
  parallel_for(kSeeds, 1, 0, [&](std::int64_t seed, std::int64_t) {
    found[static_cast<std::size_t>(seed)] =
        search(shape, listed, static_cast<std::uint64_t>(seed) + 1, budget, baseline_gain);
  });
  Tally tally;
  for (const Found& one : found) {
    tally.best_found += one.chosen <= one.best + kEquivalence ? 1 : 0;
    tally.confirmed += one.confirmed ? 1 : 0;
    tally.wrong += one.says_right ? 0 : 1;
    tally.measured = std::max(tally.measured, one.end.measured);
  }
  return tally;
}

/// 480 points, every one of which is measured.
LandscapeShape small_shape() { return {.choices = {3, 3, 2, 2}, .values = 3, .main = 0.12}; }

/// 9,000 points, far more than the budget has time for.
LandscapeShape large_shape() { return {}; }

TEST(Search, FindsTheBestOfASmallSpaceInAtLeast95Of100Seeds) {
  const Tally found = tally(small_shape(), true, 300, 0.2);
  EXPECT_GE(found.best_found, 95);
  EXPECT_EQ(found.wrong, 0);
  EXPECT_GE(found.confirmed, 99);
}

TEST(Search, FindsTheBestOfALargeSpaceInAtLeast95Of100SeedsFromAFewHundredPoints) {
  const Tally found = tally(large_shape(), false, 120, 0.2);
  EXPECT_GE(found.best_found, 95);
  EXPECT_EQ(found.wrong, 0);
  EXPECT_LT(found.measured, 600U);
}

TEST(Search, ReportsNoGainWhereThereIsNone) {
  // The baseline is as fast as the best of 480 points, so that the luckiest of them leads.
  const Tally found = tally(small_shape(), true, 300, 0);
  EXPECT_EQ(found.confirmed, 0);
}

TEST(Search, SpendsNoMoreThanItsBudget) {
  const LandscapeShape shape = large_shape();
  for (const double budget : {60.0, 120.0}) {
    const Found found = search(shape, false, 3, budget, 0.2);
    // What the confirmation needs is left over: five processes of four seconds.
    EXPECT_LE(found.seconds + 20, budget) << budget;
  }
}

TEST(Search, LeavesOutWhatASmallBudgetHasNoTimeFor) {
  const LandscapeShape shape = large_shape();
  const Found whole = search(shape, false, 3, 120, 0.2);
  EXPECT_EQ(whole.end.confirming_processes, 5);
  const Found small = search(shape, false, 3, 1, 0.2);
  EXPECT_EQ(small.end.confirming_processes, 3);
  EXPECT_LT(small.end.sampling_seconds, 1);
  EXPECT_TRUE(small.end.out_of_time);
  EXPECT_EQ(small.end.finalists.size(), small.end.log_times.size());
  EXPECT_GE(small.end.finalists.size(), 1U);
  // The process that tries the first ones, and none of the halving.
  EXPECT_LT(small.seconds, 6);
}

/// Starts its first process in ten seconds; all that follows takes no time.
class SlowStart final : public Bench {
 public:
  std::vector<Outcome> measure(const Trial& trial) override {
    started_ = true;
    std::vector<Outcome> outcomes;
    for (const std::uint64_t number : trial.candidates) outcomes.push_back({number, "", {0.5}});
    return outcomes;
  }
  double seconds() const override { return started_ ? 10 : 0; }

 private:
  bool started_ = false;
};

TEST(Search, ConfirmsInAsManyProcessesAsThereIsTimeForAndKeepsAQuarterForTheirSamples) {
  const Landscape landscape(small_shape(), 1);
  const Pool pool = landscape.pool(true);
  const auto end_with = [&](double budget) {
    SlowStart bench;
    return Search(pool, bench, {.budget_seconds = budget}).run();
  };
  // A process of the confirmation is taken to start in five seconds.
  EXPECT_EQ(end_with(10 + 4.9 * 5).confirming_processes, 4);
  EXPECT_DOUBLE_EQ(end_with(10 + 4.9 * 5).sampling_seconds, 4.9 * 5);
  EXPECT_EQ(end_with(10 + 5 * 5).confirming_processes, 5);
  EXPECT_EQ(end_with(10 + 9 * 5).confirming_processes, 5);
  EXPECT_EQ(end_with(11).confirming_processes, 3);
  EXPECT_DOUBLE_EQ(end_with(11).sampling_seconds, 11.0 / 4);
}

TEST(Search, DoesTheSameAgainWithTheSameSeedAndAnswers) {
  const Found first = search(large_shape(), false, 5, 120, 0.2);
  const Found second = search(large_shape(), false, 5, 120, 0.2);
  EXPECT_EQ(first.end.finalists, second.end.finalists);
  EXPECT_EQ(first.end.log_times, second.end.log_times);
}

TEST(Search, TakesKnownArmsBeyondTheSpaceIntoAccount) {
  const Landscape landscape(small_shape(), 1);
  SimulatedBench bench(landscape, kNoise, 1);
  Pool pool = landscape.pool(true);
  const std::uint64_t arm = landscape.space().size();
  bench.beyond[arm] = landscape.best([](std::uint64_t) { return true; }) - 0.3;
  pool.known = {arm};
  const SearchEnd end = Search(pool, bench, {}).run();
  EXPECT_EQ(end.finalists.front(), arm);
  EXPECT_TRUE(end.whole);
}

/// Candidates of high numbers are fast until the first round of halving, and again in the second.
class FickleBench final : public Bench {
 public:
  std::vector<Outcome> measure(const Trial& trial) override {
    rounds_ += trial.stage == Stage::kHalve ? 1 : 0;
    std::vector<Outcome> outcomes;
    for (const std::uint64_t number : trial.candidates) {
      const double one = static_cast<double>(number) * (rounds_ == 1 ? 0.01 : -0.001);
      outcomes.push_back(
          {number, "", std::vector<double>(static_cast<std::size_t>(trial.blocks), one)});
    }
    return outcomes;
  }
  double seconds() const override { return 1e-3; }

 private:
  int rounds_ = 0;
};

TEST(Search, DecidesEachRoundOfHalvingByItsOwnBlocksAlone) {
  const Landscape landscape(small_shape(), 1);
  FickleBench bench;
  const Pool pool = landscape.pool(true);
  const SearchEnd end = Search(pool, bench, {}).run();
  // Of the last 48 the first 12 stay, and of these the last four.
  const std::uint64_t* const first = &pool.all[pool.all.size() - 48];
  ASSERT_THAT(end.finalists, ElementsAre(first[11], first[10], first[9], first[8]));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(end.log_times[i], -0.001 * static_cast<double>(end.finalists[i]), 1e-12);
  }
}

TEST(Search, MeasuresToTheEndAQuarterOfAHalvingAndAnEighthOfOtherTrials) {
  const Landscape landscape(small_shape(), 1);
  FickleBench bench;
  const Pool pool = landscape.pool(true);
  std::vector<Trial> trials;
  Search(pool, bench, {}, [&](const Trial& trial, const Scoreboard&, bool done) {
    if (!done) trials.push_back(trial);
  }).run();
  ASSERT_GT(trials.size(), 3U);
  for (const Trial& trial : trials) {
    const std::size_t part = trial.stage == Stage::kHalve ? 4 : 8;
    const std::size_t kept = std::max(SearchSettings().finalists, trial.candidates.size() / part);
    EXPECT_EQ(trial.keep, static_cast<int>(kept)) << name_of(trial.stage);
  }
}

TEST(Search, EndsWithoutFinalistsWhereEveryCandidateFails) {
  const Landscape landscape(small_shape(), 1);
  SimulatedBench bench(landscape, kNoise, 1);
  bench.failing_share = 1.1;
  const SearchEnd end = Search(landscape.pool(true), bench, {}).run();
  EXPECT_THAT(end.finalists, IsEmpty());
  EXPECT_EQ(end.measured, 0U);
  EXPECT_EQ(Search(landscape.pool(false), bench, {.enumerate = 1}).run().measured, 0U);
}

TEST(Screen, HasEveryPairOfLevelsInAFewPoints) {
  const Landscape landscape(large_shape(), 2);
  const Pool pool = landscape.pool(false);
  std::mt19937_64 random(1);
  const auto points = screening_points(pool, screening_size(pool.space), random);
  std::set<std::vector<int>> wanted;
  std::set<std::vector<int>> pairs;
  const auto add = [](const Levels& levels, std::set<std::vector<int>>& to) {
    for (int f = 0; f < std::ssize(levels); ++f) {
      for (int g = 0; g < f; ++g) {
        to.insert({f, g, levels[static_cast<std::size_t>(f)], levels[static_cast<std::size_t>(g)]});
      }
    }
  };
  for (const std::uint64_t point : points) add(pool.space.at(point), pairs);
  for (std::uint64_t i = 0; i < pool.space.size(); ++i) {
    if (pool.can_run(i)) add(pool.space.at(i), wanted);
  }
  EXPECT_LT(points.size(), 100U);
  EXPECT_GE(static_cast<double>(pairs.size()), 0.97 * static_cast<double>(wanted.size()));
}

TEST(Losers, AreTheSlowerHalfAfterOneTwoFourBlocks) {
  const std::vector<double> times{3, 1, 4, 2, 5};
  EXPECT_THAT(losers(times, 1, 1), ElementsAre(2, 4));
  EXPECT_THAT(losers(times, 2, 1), ElementsAre(2, 4));
  EXPECT_THAT(losers(times, 3, 1), IsEmpty());
  EXPECT_THAT(losers(times, 4, 4), ElementsAre(4));
  EXPECT_THAT(losers(times, 4, 5), IsEmpty());
  EXPECT_THAT(losers(times, 1, 0), IsEmpty());
}

}  // namespace
}  // namespace msda::test
