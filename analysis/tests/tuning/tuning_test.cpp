// What a search is made to say: the model, the confirmation, the worth of factors.
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <msda/error.hpp>

#include "render/formats.hpp"
#include "render/text/summary.hpp"
#include "report/report.hpp"
#include "support/synthetic.hpp"
#include "tuning/confirmation.hpp"
#include "tuning/effects_model.hpp"
#include "tuning/landscape.hpp"

namespace msda {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// Three factors of four, three and two levels.
SearchSpace space() {
  return {{{"a", {"a0", "a1", "a2", "a3"}, {}, {}},
           {"b", {"b0", "b1", "b2"}, {}, {}},
           {"c", {"c0", "c1"}, {}, {}}},
          {}};
}

/// a is worth much, b little, and c matters with a3 only.
double truth(const Levels& levels) {
  constexpr double kA[] = {0.0, 0.3, 0.6, -0.2};
  constexpr double kB[] = {0.0, 0.05, -0.05};
  return kA[levels[0]] + kB[levels[1]] + (levels[0] == 3 && levels[2] == 1 ? -0.3 : 0.0);
}

std::vector<ModelPoint> measured_points(double noise, bool (*is_measured)(std::uint64_t)) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> error(0, noise);
  std::vector<ModelPoint> points;
  const SearchSpace all = space();
  for (std::uint64_t i = 0; i < all.size(); ++i) {
    if (!is_measured(i)) continue;
    points.push_back({all.at(i), truth(all.at(i)) + error(random), noise * noise});
  }
  return points;
}

TEST(EffectsModel, PredictsPointsThatWereNotMeasured) {
  const EffectsModel model(measured_points(0.01, [](std::uint64_t i) { return i % 3 != 1; }));
  const SearchSpace all = space();
  for (std::uint64_t i = 1; i < all.size(); i += 3) {
    const auto prediction = model.predict(all.at(i));
    EXPECT_NEAR(prediction.log_time, truth(all.at(i)), 0.1) << all.describe(all.at(i));
    EXPECT_NEAR(prediction.log_time, truth(all.at(i)), 4 * prediction.deviation + 0.02);
  }
}

TEST(EffectsModel, IsSurerOfWhatWasMeasured) {
  const EffectsModel model(measured_points(0.01, [](std::uint64_t i) { return i % 2 == 0; }));
  const SearchSpace all = space();
  double of_measured = 0;
  double of_others = 0;
  for (std::uint64_t i = 0; i < all.size(); ++i) {
    (i % 2 == 0 ? of_measured : of_others) += model.predict(all.at(i)).deviation;
  }
  EXPECT_LT(of_measured, of_others);
}

TEST(EffectsModel, TakesOnePointAndPointsThatAreAllAlike) {
  EXPECT_NEAR(EffectsModel({{{0, 0, 0}, 1.5, 1e-4}}).log_time({1, 1, 1}), 1.5, 1e-6);
  const EffectsModel even({{{0, 0, 0}, 1, 1e-4}, {{1, 0, 0}, 1, 1e-4}, {{1, 0, 0}, 1, 1e-4}});
  EXPECT_NEAR(even.log_time({0, 1, 0}), 1, 1e-6);
}

/// An arm with `processes` x 10 blocks whose times are `seconds` times a little noise.
Record record(const std::string& arm, double seconds, std::uint64_t seed, int processes = 5) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, 0.01);
  Record record;
  record.problem = "p";
  record.arm = arm;
  record.cell = "p/" + arm + "/warm";
  record.composition = "composition of " + arm;
  record.status = CellStatus::kOk;
  for (int process = 0; process < processes; ++process) {
    record.processes.emplace_back().process = process;
    const double own = noise(random) / 4;
    for (int block = 0; block < 10; ++block) {
      record.samples.push_back({process, block, {seconds * std::exp(own + noise(random))}});
    }
  }
  return record;
}

std::vector<Record> records(std::initializer_list<std::pair<const char*, double>> arms) {
  std::vector<Record> all{record("base", 1, 99)};
  all[0].baseline = true;
  std::uint64_t seed = 0;
  for (const auto& [arm, seconds] : arms) all.push_back(record(arm, seconds, ++seed));
  return all;
}

TEST(Confirmation, HasAVerdictForEachFinalistTheFastestFirst) {
  const auto found = confirm(records({{"slow", 1.2}, {"fast", 0.8}, {"same", 1.0}}));
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[0].arm, "fast");
  EXPECT_EQ(found[0].verdict, "confirmed");
  EXPECT_NEAR(*found[0].gain, 1.25, 0.02);
  EXPECT_EQ(found[1].arm, "same");
  EXPECT_FALSE(found[1].confirmed);
  EXPECT_EQ(found[2].verdict, "slower");
  EXPECT_EQ(confirmed_winner(found), &found[0]);
}

TEST(Confirmation, RefusesAGainThatCountsAsEqual) {
  // Significant with so many processes, and smaller than 1%.
  std::vector<Record> all{record("base", 1, 99, 40), record("hair", 0.995, 1, 40)};
  all[0].baseline = true;
  const auto found = confirm(all);
  EXPECT_LT(found[0].p, 0.05);
  EXPECT_EQ(found[0].verdict, "equal");
  EXPECT_EQ(confirmed_winner(found), nullptr);
}

TEST(Confirmation, CorrectsForTheNumberOfFinalists) {
  const auto alone = confirm(records({{"a", 0.98}}));
  const auto beside = confirm(records({{"a", 0.98}, {"b", 1}, {"c", 1}, {"d", 1}}));
  EXPECT_GT(alone[0].p, 0);
  EXPECT_NEAR(beside[0].p, 4 * alone[0].p, 1e-12);
}

TEST(Confirmation, GivesEachFinalistItsOwnPWhereOthersFailed) {
  std::vector<Record> all = records({{"broken", 0.5}, {"fast", 0.8}, {"same", 1.0}});
  all[1].status = CellStatus::kCrashed;
  const auto found = confirm(all);
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[0].arm, "fast");
  EXPECT_TRUE(found[0].confirmed);
}

TEST(Confirmation, OfOneBlockNothingIsConfirmed) {
  std::vector<Record> all = records({{"fast", 0.5}});
  for (Record& record : all) record.samples.resize(1);
  const auto found = confirm(all);
  EXPECT_EQ(found.at(0).verdict, "not confirmed");
  EXPECT_EQ(found.at(0).p, 1);
}

TEST(Confirmation, LeavesOutTheBaselinesRepetitionAndKeepsFailures) {
  std::vector<Record> all = records({{"again", 0.9}, {"broken", 0.5}});
  all[1].composition = all[0].composition;
  all[2].status = CellStatus::kCrashed;
  const auto found = confirm(all);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].verdict, "crashed");
  EXPECT_FALSE(found[0].confirmed);
  all[0].status = CellStatus::kFailed;
  EXPECT_THAT(confirm(all), IsEmpty());
}

/// A search that tried every point but those with b2 and c1, of which one failed.
class SearchReportTest : public testing::Test {
 protected:
  SearchReportTest() {
    const SearchSpace all = space();
    SearchTrial trial{"p", TimingMode::kWarm, 0, "enumerate", 10, 1e-4, {}};
    for (std::uint64_t i = 0; i < all.size(); ++i) {
      const Levels levels = all.at(i);
      if (levels[1] == 2 && levels[2] == 1) continue;
      SearchedCandidate one{i, "c" + std::to_string(i), "", 1e-6, 0, {}};
      if (levels == Levels{2, 0, 0}) {
        one.failure = "crashed: signal";
      } else {
        one.logs = {truth(levels), truth(levels)};
        one.seconds = 1e-4 * std::exp(truth(levels));
      }
      trial.candidates.push_back(one);
    }
    trials_.push_back(trial);
    winner_ = all.number_of({3, 0, 1});
    const std::string name = "c" + std::to_string(winner_);
    records_ = records({{name.c_str(), std::exp(truth({3, 0, 1}))}});
    const nlohmann::json finalist = {
        {"name", name}, {"number", winner_}, {"composition", "x"}, {"searched_gain", 1.7}};
    const nlohmann::json searched = {
        {"problem", "p"},     {"mode", "warm"},
        {"baseline", "base"}, {"points", 24},
        {"looked_at", 24},    {"left", 24},
        {"whole", true},      {"finalists", nlohmann::json::array({finalist})}};
    manifest_["space"] = to_json(all);
    manifest_["searches"] = nlohmann::json::array({searched});
  }

  const SearchReport& only() {
    report_ = make_report(manifest_, records_, trials_);
    return report_.searches.at(0);
  }
  /// The level of a factor.
  const LevelWorth& level(std::size_t factor, std::size_t level) {
    return only().factors.at(factor).levels.at(level);
  }

  std::uint64_t winner_ = 0;
  std::vector<SearchTrial> trials_;
  std::vector<Record> records_;
  nlohmann::json manifest_;
  Report report_;
};

TEST_F(SearchReportTest, HasTheConfirmedGainBesideTheSearchedOne) {
  const SearchReport& search = only();
  ASSERT_THAT(search.finalists, SizeIs(1));
  EXPECT_EQ(search.finalists[0].searched_gain, 1.7);
  EXPECT_NEAR(*search.finalists[0].confirmation->gain, std::exp(0.5), 0.03);
  EXPECT_EQ(search.winner, 0U);
  const std::string text = to_markdown(report_);
  EXPECT_THAT(text, HasSubstr("the search had said 1.700x"));
  EXPECT_THAT(text, HasSubstr("a=a3 b=b0 c=c1"));
  EXPECT_THAT(text, HasSubstr("1 without a time: crashed: signal"));
  EXPECT_THAT(to_summary(report_, false),
              HasSubstr("\nc" + std::to_string(winner_) + " is a=a3 b=b0 c=c1\n"));
}

TEST_F(SearchReportTest, SaysWhatTooFewProcessesDoNotConfirm) {
  records_.back() = record(records_.back().arm, 0.75, 1, 2);
  for (SampleBlock& block : records_.back().samples) {
    if (block.process == 1) block.seconds = {0.9};
  }
  EXPECT_FALSE(only().winner);
  EXPECT_THAT(to_markdown(report_),
              AllOf(HasSubstr("Nothing is confirmed to be faster than base. c" +
                              std::to_string(winner_) + " seems 1."),
                    HasSubstr("a larger --budget asks more processes.")));
}

TEST_F(SearchReportTest, SaysWhatAWorseChoiceCosts) {
  EXPECT_TRUE(level(0, 3).of_the_winner);
  EXPECT_TRUE(level(0, 0).measured);
  EXPECT_NEAR(*level(0, 0).at_the_winner, std::exp(0.5), 1e-6);
  EXPECT_NEAR(*level(0, 0).best_with_it, std::exp(-0.05 - truth({3, 0, 1})), 1e-6);
  EXPECT_NEAR(*level(2, 0).at_the_winner, std::exp(0.3), 1e-6);
  EXPECT_EQ(level(0, 2).tried, 4) << "one of five has failed";
}

TEST_F(SearchReportTest, PredictsWhatWasNotTriedAndSaysSo) {
  EXPECT_FALSE(level(1, 2).measured);
  EXPECT_NEAR(*level(1, 2).at_the_winner, std::exp(-0.05), 0.1);
}

TEST_F(SearchReportTest, FindsTheFactorThatMatters) {
  const SearchReport& search = only();
  EXPECT_GT(search.factors[0].shares.own, 0.6);
  EXPECT_LT(search.factors[1].shares.total, 0.15);
  EXPECT_GT(search.factors[2].shares.total, search.factors[2].shares.own);
  EXPECT_THAT(to_markdown(report_), HasSubstr("a matters most"));
}

TEST_F(SearchReportTest, IsThereForASearchThatWasInterrupted) {
  manifest_["searches"] = nlohmann::json::array();
  records_.clear();
  const SearchReport& search = only();
  EXPECT_FALSE(search.ended);
  EXPECT_FALSE(search.factors.empty());
  EXPECT_THAT(to_markdown(report_), HasSubstr("The search has not ended"));
}

TEST_F(SearchReportTest, CountsKnownArmsApartFromThePointsOfTheSpace) {
  trials_[0].candidates.push_back({space().size(), "arm", "", 1e-6, 1e-4, {0.1}});
  manifest_["searches"][0]["whole"] = false;
  manifest_["searches"][0]["out_of_time"] = true;
  only();
  const std::string text = to_terminal(report_, false);
  EXPECT_THAT(text, HasSubstr("The budget ended the search after 20 of 24 points."));
  EXPECT_THAT(text, HasSubstr("20 points and 1 known arm tried in 10 s, 1 without a time"));
}

TEST_F(SearchReportTest, SaysThatNoPointIsLeftAndWhatRemovedThem) {
  trials_[0].candidates = {{space().size(), "arm", "", 1e-6, 1e-4, {0.1}}};
  nlohmann::json& searched = manifest_["searches"][0];
  searched["left"] = 0;
  searched["whole"] = false;
  searched["finalists"][0] = {
      {"name", "arm"}, {"number", space().size()}, {"composition", "x"}, {"searched_gain", 1.1}};
  searched["removed"] = {{{"reason", "excluded: a=a0|a1"}, {"points", 16}},
                         {{"reason", "fixture: too large"}, {"points", 8}}};
  records_ = records({{"arm", 1.0}});
  only();
  const std::string text = to_terminal(report_, false);
  EXPECT_THAT(text, HasSubstr("No point of the space is left to try, of 24: 16 removed: excluded: "
                              "a=a0|a1; 8 removed: fixture: too large."));
  EXPECT_THAT(text, HasSubstr("no point was left to try."));
  EXPECT_THAT(text, Not(HasSubstr("nothing untried")));
}

TEST_F(SearchReportTest, SaysWhyNoCandidateHasATimeWhenTheRunIsComplete) {
  int number = 0;
  for (SearchedCandidate& one : trials_[0].candidates) {
    one.logs.clear();
    one.failure = number++ == 0 ? "hung: measure" : fmt::format("wrong: error of {}", number);
  }
  manifest_["status"] = "complete";
  manifest_["searches"][0]["finalists"] = nlohmann::json::array();
  records_.clear();
  only();
  const std::string text = to_summary(report_, false);
  EXPECT_THAT(text, HasSubstr("No candidate has a time; all 20 failed, 19 of them like this: "
                              "wrong: error of 2."));
  EXPECT_THAT(text, Not(HasSubstr("yet")));
}

TEST_F(SearchReportTest, SaysInTheSummaryWhyASearchCouldNotBeMade) {
  manifest_["status"] = "complete";
  manifest_["searches"] = {{{"problem", "p"},
                            {"mode", "warm"},
                            {"failure", "the baseline base is crashed on p: signal 11"},
                            {"finalists", nlohmann::json::array()}}};
  trials_.clear();
  records_.clear();
  only();
  const std::string text = to_summary(report_, false);
  EXPECT_THAT(text, HasSubstr("The search could not be made: the baseline base is crashed on p"));
  EXPECT_THAT(text, Not(HasSubstr("yet")));
}

TEST_F(SearchReportTest, OfSeveralProblemsSaysWhichEachSentenceIsAbout) {
  EXPECT_THAT(to_summary((only(), report_), false), Not(HasSubstr("p: c")));
  manifest_["searches"].push_back(manifest_["searches"][0]);
  manifest_["searches"][1]["problem"] = "q";
  trials_.push_back(trials_[0]);
  trials_[1].problem = "q";
  const std::size_t count = records_.size();
  for (std::size_t i = 0; i < count; ++i) {
    records_.push_back(records_[i]);
    records_.back().problem = "q";
  }
  only();
  const std::string text = to_summary(report_, false);
  const std::string name = "c" + std::to_string(winner_);
  EXPECT_THAT(text, HasSubstr("p: " + name + " is "));
  EXPECT_THAT(text, HasSubstr("q: " + name + " is "));
}

TEST_F(SearchReportTest, StandsInEveryFormat) {
  only();
  EXPECT_THAT(to_html(report_), HasSubstr("Factors of the search"));
  EXPECT_THAT(to_html(report_), HasSubstr("-landscape"));
  const nlohmann::json json = nlohmann::json::parse(to_json(report_));
  EXPECT_EQ(json.at("searches").at(0).at("finalists").at(0).at("verdict"), "confirmed");
  EXPECT_THAT(to_terminal(report_, false), HasSubstr("Search: p, warm"));
}

TEST_F(SearchReportTest, RefusesAManifestThatIsBroken) {
  manifest_["searches"][0].erase("finalists");
  EXPECT_THROW(only(), UsageError);
}

TEST(ShareWithin, CountsCandidatesWithATime) {
  SearchReport search;
  for (const double log : {0.0, 0.01, 0.2}) {
    TriedCandidate& one = search.tried.emplace_back();
    one.log_time = log;
    one.blocks = 1;
  }
  search.tried.emplace_back().failure = "crashed";
  EXPECT_NEAR(share_within(search, 1.02), 2.0 / 3, 1e-9);
}

TEST_F(SearchReportTest, AFinalistThatIsNoFasterSeemsToBeNothing) {
  records_.back() = record(records_.back().arm, 1.0, 1, 2);
  for (SampleBlock& block : records_.back().samples) {
    if (block.process == 1) block.seconds = {1.03};
  }
  EXPECT_EQ(only().finalists.at(0).confirmation.value().verdict, "not confirmed");
  EXPECT_THAT(to_markdown(report_), AllOf(HasSubstr("Nothing is confirmed to be faster than base."),
                                          Not(HasSubstr("seems"))));
}

}  // namespace
}  // namespace msda
