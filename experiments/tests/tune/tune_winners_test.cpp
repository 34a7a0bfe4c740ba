// Where `msda tune` puts winners when their file cannot take them.
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/search_log.hpp"
#include "tune/tuning.hpp"

namespace msda::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

TEST_F(TuneTest, RefusesAnUnusableWinnersFileBeforeItSearches) {
  const fs::path file = directory_.write("x.yaml", kSearch);
  const auto refused = [&](const fs::path& place) {
    return run({"tune", file, "--output", results(), "--winners", place});
  };
  const fs::path broken = directory_.write("broken.yaml", "loosers: []\n");
  const Outcome no_winners = refused(broken);
  EXPECT_EQ(no_winners.exit_code, 2);
  EXPECT_THAT(no_winners.err, AllOf(HasSubstr("broken.yaml:1:1"), HasSubstr("--winners FILE")));
  const Outcome a_directory = refused(directory_.path());
  EXPECT_EQ(a_directory.exit_code, 2);
  EXPECT_THAT(a_directory.err, HasSubstr("is a directory, not a file of winners"));
  const Outcome below_a_file = refused(broken / "winners.yaml");
  EXPECT_EQ(below_a_file.exit_code, 3);
  EXPECT_THAT(below_a_file.err, HasSubstr("broken.yaml: is not a directory"));
  EXPECT_FALSE(fs::exists(results())) << "nothing was begun";
}

TEST_F(TuneTest, GoesOnWithoutADefaultPlaceForWinnersThatCannotBeWritten) {
  directory_.write("x.yaml", kSearch);
  directory_.write("results", "a file");
  const Outcome outcome = run_script("\"$msda\" tune x.yaml --output out", directory_.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("results: is not a directory; they go to the results alone"));
  EXPECT_THAT(outcome.out, HasSubstr("Winners: out/winners.yaml"));
  EXPECT_TRUE(fs::exists(directory_.path() / "out" / "winners.yaml"));
}

TEST_F(TuneTest, ASearchIsNoRunToGoOnWith) {
  const fs::path file = directory_.write("x.yaml", kSearch);
  ASSERT_EQ(tune({file, "--output", results()}).exit_code, 0);
  const Outcome outcome = run({"run", file, "--resume", results()});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("is a search; go on with it by msda tune --resume"));
}

TEST_F(TuneTest, LosesNoWinnerWhenTheirFileIsSpoiledDuringTheSearch) {
  const fs::path file = directory_.write("x.yaml", kSearch);
  Child child({"tune", file, "--output", results(), "--winners", winners()}, directory_.path());
  for (int i = 0; i < 3000 && read_search(results() / kSearchFile).empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  directory_.write("winners.yaml", "not: winners\n");
  const Outcome spoiled = child.wait();
  EXPECT_EQ(spoiled.exit_code, 2) << spoiled.err;
  EXPECT_THAT(spoiled.err, AllOf(HasSubstr("The winners are in " + results().string()),
                                 HasSubstr("--resume " + results().string())));
  EXPECT_TRUE(fs::exists(results() / "winners.yaml"));

  fs::remove(winners());
  const std::size_t trials = read_search(results() / kSearchFile).size();
  EXPECT_EQ(tune({file, "--resume", results()}).exit_code, 0);
  EXPECT_THAT(saved(), SizeIs(1));
  EXPECT_THAT(read_search(results() / kSearchFile), SizeIs(trials)) << "nothing is searched again";
}

}  // namespace
}  // namespace msda::test
