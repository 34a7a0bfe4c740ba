// Twenty copies of one arm: where one stands in the list, in memory or in time must not look like
// an effect of it.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "report/report.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

constexpr int kCopies = 20;

/// Copies "c00".. of cpu-scalar on a problem of some 100 us.
std::string experiment(int seed) {
  std::string arms;
  for (int i = 0; i < kCopies; ++i) {
    arms += fmt::format("  - {{name: c{:02}, use: [cpu-scalar]}}\n", i);
  }
  return fmt::format(R"(
device: cpu
problems:
  - {{name: small, queries: 40, heads: 2, channels: 16, points: 4, levels: [[12, 20], [6, 10]]}}
arms:
{}baseline: c00
measure: {{modes: [warm], processes: 5, most_processes: 5, blocks: 10, samples: 5, seed: {},
          noise_pair: false, budget: 60 s}}
)",
                     arms, seed);
}

struct Count {
  int compared = 0;
  int different = 0;
};

void add_run(int seed, Count& count) {
  const TemporaryDirectory directory;
  const auto file = directory.write("copies.yaml", experiment(seed));
  const auto results = directory.path() / "results";
  const std::string plugins = MSDA_BINARY_DIR "/lib/msda/variants";
  const Outcome outcome =
      run({"run", file.string(), "--output", results.string(), "--plugin-dir", plugins});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  for (const Row& row : make_report(results).tables.at(0).rows) {
    if (row.verdict == "baseline") continue;
    ++count.compared;
    if (row.verdict == "faster" || row.verdict == "slower") ++count.different;
  }
}

/// All copies of a run are compared with one of them, so that three runs may have bad luck; nine
/// are asked where these have.
TEST(Position, CopiesOfOneArmAreCalledDifferentInFiveInAHundredAtMost) {
  Count count;
  for (int seed = 1; seed <= 9; ++seed) {
    ASSERT_NO_FATAL_FAILURE(add_run(seed, count));
    EXPECT_EQ(count.compared, seed * (kCopies - 1));
    if (seed == 3 && count.different <= count.compared / 20) return;
  }
  EXPECT_LE(count.different, count.compared / 20) << "of " << count.compared;
}

}  // namespace
}  // namespace msda::test
