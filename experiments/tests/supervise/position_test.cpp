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

TEST(Position, CopiesOfOneArmAreCalledDifferentInFiveInAHundredAtMost) {
  int compared = 0;
  int different = 0;
  for (const int seed : {1, 2, 3}) {
    const TemporaryDirectory directory;
    const auto file = directory.write("copies.yaml", experiment(seed));
    const auto results = directory.path() / "results";
    const std::string plugins = MSDA_BINARY_DIR "/lib/msda/variants";
    const Outcome outcome =
        run({"run", file.string(), "--output", results.string(), "--plugin-dir", plugins});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    for (const Row& row : make_report(results).tables.at(0).rows) {
      if (row.verdict == "baseline") continue;
      ++compared;
      if (row.verdict == "faster" || row.verdict == "slower") ++different;
    }
  }
  EXPECT_EQ(compared, 3 * (kCopies - 1));
  EXPECT_LE(different, compared / 20) << "of " << compared;
}

}  // namespace
}  // namespace msda::test
