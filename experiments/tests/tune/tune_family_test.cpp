// `msda tune` for all problems of a family together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/experiment/winners.hpp"
#include "runner/supervise/manifest.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kFamily = R"(
device: cpu
problems:
  - {name: few, queries: 3, channels: 4, levels: [[2, 4]]}
  - {name: more, queries: 6, channels: 4, levels: [[4, 4]]}
arms: [{name: slow, use: [{fixture: {milliseconds: 4}}]}]
space:
  together: true
  factors:
    kernel: [fixture: {milliseconds: [1, 2, 3]}]
measure: {processes: 3, most_processes: 3, blocks: 4, samples: 2, warmup: 0, timeout: 10 s}
)";

TEST(TuneFamily, FindsOneWinnerForAllItsProblems) {
  const TemporaryDirectory directory;
  const fs::path file = directory.write("x.yaml", kFamily);
  const fs::path winners = directory.path() / "winners.yaml";
  const fs::path results = directory.path() / "results";
  const Outcome outcome =
      run({"tune", file, "--output", results, "--winners", winners}, told_program());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::vector<std::string> notes;
  const std::vector<Winner> found = read_winners(winners, fixture_registry(), notes);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].problem.name(), "few");
  ASSERT_THAT(found[0].others, SizeIs(1));
  EXPECT_EQ(found[0].others[0].name(), "more");
  EXPECT_EQ(std::get<double>(found[0].uses.at(0).parameters.at("milliseconds")), 1.0);
  EXPECT_GT(found[0].gain_low, 1.0);
  EXPECT_GT(found[0].worst, 0.9);
  EXPECT_THAT(read_manifest(results).searches.at(1).together, testing::ElementsAre("few", "more"));
  EXPECT_THAT(outcome.out, HasSubstr("\nOver 2 problems c0 is "));
  EXPECT_THAT(outcome.out, HasSubstr(" as fast as slow, from "));
}

TEST(TuneFamily, FindsAWinnerForEachFamily) {
  const TemporaryDirectory directory;
  std::string text = kFamily;
  text.insert(text.find("arms:"),
              "  - {name: wide, queries: 3, channels: 8, levels: [[2, 4]]}\n"
              "  - {name: wider, queries: 6, channels: 8, levels: [[4, 4]]}\n");
  const fs::path winners = directory.path() / "winners.yaml";
  const Outcome outcome = run({"tune", directory.write("x.yaml", text), "--output",
                               directory.path() / "results", "--winners", winners});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::vector<std::string> notes;
  const std::vector<Winner> found = read_winners(winners, fixture_registry(), notes);
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].others.at(0).name(), "more");
  EXPECT_EQ(found[1].problem.name(), "wide");
  EXPECT_EQ(found[1].others.at(0).name(), "wider");
}

TEST(TuneFamily, IsRefusedForAProblemThatIsAloneInItsFamily) {
  const TemporaryDirectory directory;
  std::string text = kFamily;
  text.insert(text.find("arms:"), "  - {name: wide, queries: 6, channels: 8, levels: [[4, 4]]}\n");
  const Outcome outcome =
      run({"tune", directory.write("x.yaml", text), "--output", directory.path() / "results"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("wide is alone in forward H1 C8 P"));
}

}  // namespace
}  // namespace msda::test
