// Winners on disk, and which of them fits a problem.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiment/winner.hpp"
#include "files/read.hpp"
#include "results/entries_json.hpp"
#include "runner/plan/best_match.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Winners, ComeBackFromTheirFile) {
  const TemporaryDirectory directory;
  const auto file = directory.write("w.yaml", to_yaml({winner("a", 3)}));
  std::vector<std::string> notes;
  const std::vector<Winner> read = read_winners(file, fixture_registry(), notes);
  EXPECT_THAT(notes, IsEmpty());
  ASSERT_THAT(read, SizeIs(1));
  const Winner& back = read[0];
  const Winner wanted = winner("a", 3);
  EXPECT_EQ(back.device.name, "big");
  EXPECT_EQ(back.device.compute_capability, 90);
  EXPECT_EQ(back.problem.problem, wanted.problem.problem);
  EXPECT_EQ(back.uses, wanted.uses);
  EXPECT_EQ(back.gain, wanted.gain);
  EXPECT_EQ(back.gain_low, wanted.gain_low);
  EXPECT_NEAR(back.seconds, wanted.seconds, 1e-9);
  EXPECT_EQ(back.command, wanted.command);
  EXPECT_EQ(back.error, wanted.error);
}

TEST(Winners, OfAFamilyComeBackWithAllItsProblemsAndReplaceTheFamilysWinner) {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "w.yaml";
  Winner family = winner("a", 3);
  family.others = {winner("b", 3).problem, winner("c", 3).problem};
  family.others[0].problem.queries = 77;
  family.worst = 0.975;
  save_winners(file, {winner("alone", 3), family}, fixture_registry());
  family.problem.problem.batch = 99;
  save_winners(file, {family}, fixture_registry());
  std::vector<std::string> notes;
  const std::vector<Winner> read = read_winners(file, fixture_registry(), notes);
  ASSERT_THAT(read, SizeIs(2));
  EXPECT_FALSE(read[0].is_of_family());
  EXPECT_EQ(read[1].problem.problem.batch, 99);
  ASSERT_THAT(read[1].others, SizeIs(2));
  EXPECT_EQ(read[1].others[0].problem.queries, 77);
  EXPECT_EQ(read[1].worst, 0.975);
}

TEST(Winners, TakeThePlaceOfThoseOfTheSameShapeAndKeepOthers) {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "results" / "w.yaml";
  Winner other = winner("b", 5);
  other.mode = TimingMode::kCold;
  Winner in_class = winner("c", 6);
  ++in_class.problem.problem.levels[0].width;
  Winner bordered = winner("d", 7);
  bordered.problem.problem.layout = ValueLayout::kZeroBorder;
  Winner uneven = winner("e", 8);
  uneven.problem.op = "fused";
  uneven.problem.problem.levels = {{4, 4}, {2, 2}};
  uneven.problem.problem.points = 3;
  uneven.problem.problem.level_points = {3, 1};
  uneven.problem.problem.padding = true;
  uneven.problem.problem.references = {4, 0, 0.25, {0.5, 0.125, 1, 0.75}};
  ASSERT_EQ(shape_class(in_class.problem.problem), shape_class(winner("a", 3).problem.problem));
  save_winners(file, {winner("a", 3), other, in_class, bordered, uneven}, fixture_registry());
  save_winners(file, {winner("again", 4)}, fixture_registry());
  std::vector<std::string> notes;
  std::vector<std::string> names;
  for (const Winner& one : read_winners(file, fixture_registry(), notes)) {
    names.push_back(one.problem.name());
    if (one.problem.name() == "e") {
      EXPECT_EQ(one.problem.problem, uneven.problem.problem);
    }
  }
  EXPECT_THAT(names, ElementsAre("b", "c", "d", "e", "again"));
}

TEST(Winners, StandBesideThoseOfEveryOtherSearch) {
  Winner family = winner("family", 3);
  family.others = {winner("b", 3).problem};
  const auto is_kept = [](const Winner& first, void (*change)(Winner&)) {
    const TemporaryDirectory directory;
    const auto file = directory.path() / "w.yaml";
    Winner second = first;
    change(second);
    save_winners(file, {first}, fixture_registry());
    save_winners(file, {second}, fixture_registry());
    std::vector<std::string> notes;
    return read_winners(file, fixture_registry(), notes).size() == 2;
  };
  for (const Winner& first : {winner("alone", 3), family}) {
    EXPECT_TRUE(is_kept(first, [](Winner& one) { one.device.name = "small"; }));
    EXPECT_TRUE(is_kept(first, [](Winner& one) { one.mode = TimingMode::kCold; }));
    EXPECT_TRUE(is_kept(first, [](Winner& one) { one.error = 1e-3; }));
    EXPECT_TRUE(is_kept(first, [](Winner& one) { one.problem.op = "backward"; }));
    EXPECT_TRUE(is_kept(
        first, [](Winner& one) { one.problem.problem.types = Types::all(DType::kFloat16); }));
    EXPECT_FALSE(is_kept(first, [](Winner& one) { one.date = "2027-01-01"; }));
  }
  const auto spread = [](Winner& one) {
    one.problem.generation.distribution = Distribution::kLocal;
    one.problem.generation.sigma = 8;
  };
  EXPECT_TRUE(is_kept(winner("alone", 3), spread));
  Winner local = winner("alone", 3);
  local.problem.generation.distribution = Distribution::kLocal;
  local.problem.generation.sigma = 2;
  EXPECT_TRUE(is_kept(local, spread));
}

TEST(Winners, GiveWayOnlyToWhatIsConfirmed) {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "w.yaml";
  Winner baseline = winner("baseline", 9);
  baseline.gain = baseline.gain_low = baseline.gain_high = 1;
  const auto saved = [&](const Winner& found) {
    std::vector<std::string> names;
    for (const Winner& one : save_winners(file, {found}, fixture_registry())) {
      names.push_back("kept " + one.problem.name());
    }
    std::vector<std::string> notes;
    for (const Winner& one : read_winners(file, fixture_registry(), notes)) {
      names.push_back(one.problem.name());
    }
    return names;
  };
  EXPECT_THAT(saved(baseline), ElementsAre("baseline"));
  EXPECT_THAT(saved(winner("first", 3)), ElementsAre("first"));
  EXPECT_THAT(saved(baseline), ElementsAre("kept first", "first"));
  EXPECT_THAT(saved(winner("second", 4)), ElementsAre("second"));
}

TEST(Winners, OfASecondDocumentAreNotDroppedInSilence) {
  const TemporaryDirectory directory;
  const std::string text = to_yaml({winner("a", 3)});
  const auto file = directory.write("w.yaml", text + "---\n" + text);
  std::vector<std::string> notes;
  EXPECT_THROW(read_winners(file, fixture_registry(), notes), UsageError);
  EXPECT_THROW(save_winners(file, {winner("b", 5)}, fixture_registry()), UsageError);
}

TEST(Winners, OfPluginsThatAreNotHereStayInTheFile) {
  const TemporaryDirectory directory;
  std::string text = to_yaml({winner("a", 3)});
  text.replace(text.find("fixture:"), 7, "elsewhere");
  const auto file = directory.write("w.yaml", text);
  Winner other = winner("b", 5);
  other.mode = TimingMode::kCold;
  save_winners(file, {other}, fixture_registry());
  EXPECT_THAT(read_text(file), HasSubstr("elsewhere"));
  std::vector<std::string> notes;
  EXPECT_THAT(read_winners(file, fixture_registry(), notes), SizeIs(1));
  ASSERT_THAT(notes, SizeIs(1));
  EXPECT_THAT(notes[0], HasSubstr("elsewhere"));
}

TEST(Winners, HaveAShapeClassOfNearestPowersOfTwo) {
  Problem problem = tiny_problem().problem;
  problem.queries = 17'000;
  problem.batch = 2;
  const std::string of = shape_class(problem);
  problem.queries = 16'000;
  EXPECT_EQ(shape_class(problem), of);
  problem.queries = 30'000;
  EXPECT_NE(shape_class(problem), of);
  problem.queries = 16'000;
  problem.layout = ValueLayout::kZeroBorder;
  EXPECT_NE(shape_class(problem), of);
  problem.layout = ValueLayout::kPlain;
  problem.points = 8;
  EXPECT_NE(shape_class(problem), of);
}

TEST(Winners, AreOfAFamilyOfManyQueriesFromAQuarterOfThePixelsOn) {
  ProblemSpec spec = tiny_problem();
  const std::int64_t pixels = spec.problem.spatial_size();
  spec.problem.queries = pixels;
  const std::string many = family_of(spec);
  spec.problem.queries = (pixels + 3) / 4;
  EXPECT_EQ(family_of(spec), many);
  spec.problem.queries = (pixels + 3) / 4 - 1;
  EXPECT_NE(family_of(spec), many);
}

class BestMatchTest : public testing::Test {
 protected:
  std::optional<BestMatch> match(double error = 1e-5) const {
    return best_match(winners_, fixture_registry(), problem_, TimingMode::kWarm, error,
                      device("big", 90));
  }
  std::string name() const { return match() ? match()->winner.problem.name() : "none"; }

  /// A winner on another shape: `queries` in place of the problem's.
  static Winner on(const std::string& label, std::int64_t queries) {
    Winner other = winner(label, 1);
    other.problem.problem.queries = queries;
    return other;
  }

  ProblemSpec problem_ = tiny_problem();
  std::vector<Winner> winners_;
};

TEST_F(BestMatchTest, IsTheSameShapeBeforeItsClassBeforeOthers) {
  winners_ = {on("far", 100), on("near", 50)};
  EXPECT_EQ(name(), "near");
  EXPECT_EQ(match()->closeness, Closeness::kNear);
  EXPECT_THAT(match()->text, HasSubstr("the nearest shape, near (3.3 doublings away)"));
  winners_.push_back(on("class", 4));
  EXPECT_EQ(name(), "class");
  EXPECT_EQ(match()->closeness, Closeness::kClass);
  winners_.push_back(winner("same", 1));
  EXPECT_EQ(name(), "same");
  EXPECT_THAT(match()->text,
              HasSubstr("exactly this shape, on this model; found 2026-11-21, 1.250x"));
}

TEST_F(BestMatchTest, IsAFamilysWinnerBeforeThatOfAnotherClassHoweverNear) {
  Winner family = winner("family", 1);
  family.problem.problem.batch = 1000;
  family.others = {family.problem};
  family.worst = 0.98;
  winners_ = {on("near", 50), family};
  EXPECT_EQ(name(), "family");
  EXPECT_EQ(match()->closeness, Closeness::kFamily);
  EXPECT_THAT(match()->text, HasSubstr("a winner of its family on 2 problems, at worst 0.980x"));
  winners_.push_back(on("class", 4));
  EXPECT_EQ(name(), "class");
  ++problem_.problem.heads;
  winners_ = {family};
  EXPECT_EQ(name(), "none") << "another family";
}

TEST_F(BestMatchTest, IsNoneOfAShapeThatIsTenDoublingsAway) {
  winners_ = {on("far", std::int64_t{5} * 1025)};
  EXPECT_EQ(name(), "none");
  winners_ = {on("near", std::int64_t{5} * 1023)};
  EXPECT_EQ(name(), "near");
}

TEST_F(BestMatchTest, IsThisModelBeforeItsGenerationBeforeOthers) {
  Winner other = winner("other", 1);
  other.device = device("old", 80);
  winners_ = {other};
  EXPECT_EQ(name(), "other");
  EXPECT_THAT(match()->text, HasSubstr("on old"));
  other = winner("kin", 1);
  other.device = device("small", 90);
  winners_.push_back(other);
  EXPECT_EQ(name(), "kin");
  winners_.push_back(on("class here", 4));
  EXPECT_EQ(name(), "class here") << "the class on this model before the shape on another";
  winners_.back() = on("far here", 100);
  EXPECT_EQ(name(), "kin") << "the shape on another model before another shape";
}

TEST_F(BestMatchTest, HasTheProblemsTypesAndNoMoreErrorThanAllowed) {
  Winner loose = winner("loose", 1);
  loose.error = 1e-2;
  winners_ = {loose, winner("tight", 1)};
  EXPECT_EQ(name(), "tight");
  EXPECT_EQ(match(3e-2)->winner.problem.name(), "loose") << "what was allowed is used";
  std::ranges::reverse(winners_);
  EXPECT_EQ(match(3e-2)->winner.problem.name(), "loose") << "wherever it stands";
  std::ranges::reverse(winners_);
  winners_.pop_back();
  EXPECT_EQ(name(), "none");
  Winner half = winner("half", 1);
  half.problem.problem.types = Types::all(DType::kFloat16);
  winners_ = {half};
  EXPECT_EQ(name(), "none");
}

TEST_F(BestMatchTest, CanRunTheProblemOnTheDevice) {
  Winner gpu = winner("gpu", 1);
  gpu.device.kind = DeviceKind::kCuda;
  Winner unsupported = winner("unsupported", 1);
  unsupported.uses = {{"fixture", {{"behaviour", std::string("unsupported")}}}};
  winners_ = {gpu, unsupported, on("far", 100)};
  EXPECT_EQ(name(), "far");
}

TEST_F(BestMatchTest, PrefersModeThenLocationsThenTheLaterDate) {
  Winner cold = winner("cold", 1);
  cold.mode = TimingMode::kCold;
  cold.date = "2027-01-01";
  Winner local = winner("local", 1);
  local.problem.generation.distribution = Distribution::kLocal;
  winners_ = {cold, local};
  EXPECT_EQ(name(), "local");
  winners_.push_back(winner("old", 1));
  EXPECT_EQ(name(), "old");
  Winner later = winner("later", 1);
  later.date = "2026-12-01";
  winners_.push_back(later);
  EXPECT_EQ(name(), "later");
  std::ranges::reverse(winners_);
  EXPECT_EQ(name(), "later") << "wherever it stands";
}

TEST_F(BestMatchTest, HasTheNearestSpreadOfTheSameLocations) {
  Winner near = winner("near", 1);
  near.problem.generation.distribution = Distribution::kLocal;
  near.problem.generation.sigma = 2;
  Winner far = near;
  far.problem.problem.name = "far";
  far.problem.generation.sigma = 8;
  winners_ = {near, far};
  problem_.generation.distribution = Distribution::kLocal;
  problem_.generation.sigma = 0.5;
  EXPECT_EQ(name(), "near");
  problem_.generation.sigma = 32;
  EXPECT_EQ(name(), "far");
  const TemporaryDirectory directory;
  save_winners(directory.path() / "w.yaml", winners_, fixture_registry());
  std::vector<std::string> notes;
  EXPECT_EQ(read_winners(directory.path() / "w.yaml", fixture_registry(), notes).size(), 2U);
}

TEST(BestMatchOfABorrower, IsAWinnerOfTheOperatorWhoseSkeletonsItBorrows) {
  ProblemSpec fused = tiny_problem();
  fused.op = "fused";
  DeviceInfo gpu = device("big", 90);
  gpu.kind = DeviceKind::kCuda;
  const auto of = [&](const std::string& label, const std::string& op, const std::string& variant) {
    Winner one = winner(label, 1);
    one.device = gpu;
    one.problem.op = op;
    one.uses = {{variant, {}}};
    return one;
  };
  const auto name = [&](const std::vector<Winner>& winners) {
    const auto match = best_match(winners, shipped_registry(), fused, TimingMode::kWarm, 1e-5, gpu);
    return match ? match->winner.problem.name() : "none";
  };
  const Winner plain = of("plain", "forward", "vector-loads");
  EXPECT_EQ(name({plain}), "plain");
  EXPECT_EQ(name({of("own", "fused", "vector-loads"), plain}), "own");
  Winner far = of("far", "fused", "vector-loads");
  Winner near = of("near", "forward", "vector-loads");
  far.problem.problem.heads *= 4;
  near.problem.problem.heads *= 2;
  EXPECT_EQ(name({far, near}), "near") << "of other shapes the nearest says most";
  EXPECT_EQ(name({far, plain}), "plain");
  EXPECT_EQ(name({of("kernel", "forward", "im2col")}), "none");
  EXPECT_EQ(name({of("gradients", "backward", "l2-red")}), "none");
  fused.op = "fused-backward";
  EXPECT_EQ(name({of("gradients", "backward", "l2-red"), plain}), "gradients");
  EXPECT_EQ(name({of("gradients", "backward", "l2-red"), of("own", "fused-backward", "l2-red")}),
            "own");
}

}  // namespace
}  // namespace msda::test
