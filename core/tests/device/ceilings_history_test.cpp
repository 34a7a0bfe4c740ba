// Which of several measurements of a device is believed.
#include "device/ceilings_history.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace msda {
namespace {

using ::testing::SizeIs;

/// A device that is so much slower than an idle one.
Ceilings at(double share) { return {4e12 * share, 32e12 * share, 8e12 * share, 30e12 * share, 0}; }

double share(const KnownCeilings& known) { return known.best.gather_bytes_per_second / 32e12; }

/// A history of processes that each measured this share of the idle device's ceilings.
CeilingsHistory history(const std::vector<double>& shares) {
  CeilingsHistory made;
  std::int64_t time = 1000;
  for (const double one : shares) made.measure(time++, [&] { return at(one); });
  return made;
}

TEST(CeilingsHistory, OneMeasurementIsBelievedUntilThereAreOthers) {
  const CeilingsHistory one = history({0.9});
  EXPECT_DOUBLE_EQ(share(one.known()), 0.9);
  EXPECT_EQ(one.known().measurements, 1);
  EXPECT_TRUE(one.wants_another(1001));
}

TEST(CeilingsHistory, ALoadedMachineDoesNotLowerWhatAnIdleOneCould) {
  EXPECT_DOUBLE_EQ(share(history({0.5, 1, 0.98, 0.5, 0.5}).known()), 1);
  EXPECT_DOUBLE_EQ(share(history({0.5, 0.5, 0.5, 0.97, 1}).known()), 1);
}

TEST(CeilingsHistory, AClockThatJumpedIsNotBelieved) {
  EXPECT_DOUBLE_EQ(share(history({1, 0.99, 3, 0.98}).known()), 1);
}

TEST(CeilingsHistory, SaysHowFarMeasurementsAreApart) {
  const KnownCeilings known = history({0.5, 1, 1}).known();
  EXPECT_DOUBLE_EQ(known.spread.dram_bytes_per_second, 0.5);
  EXPECT_EQ(known.spread.cluster_bytes_per_second, 0);
  EXPECT_EQ(known.measurements, 3);
  EXPECT_EQ(known.first, 1000);
  EXPECT_EQ(known.last, 1002);
  const nlohmann::json json = to_json(known);
  EXPECT_EQ(json.at("gather_bytes_per_second"), 32e12);
  EXPECT_EQ(json.at("measured").at("count"), 3);
  EXPECT_EQ(json.at("measured").at("first"), "1970-01-01T00:16:40Z");
  EXPECT_EQ(json.at("measured").at("spread").at("dram_bytes_per_second"), 0.5);
}

TEST(CeilingsHistory, FiveFreshOnesAreEnough) {
  const CeilingsHistory five = history({1, 1, 1, 1, 1});
  EXPECT_FALSE(five.wants_another(2000));
  EXPECT_TRUE(five.wants_another(1000 + 24 * 60 * 60));
  EXPECT_TRUE(five.wants_another(500)) << "the clock went back";
}

TEST(CeilingsHistory, WhatTheLatestFiveContradictIsForgotten) {
  EXPECT_DOUBLE_EQ(share(history({1, 1, 1, 0.6, 0.6, 0.6, 0.6}).known()), 1);
  EXPECT_DOUBLE_EQ(share(history({1, 1, 1, 0.6, 0.6, 0.6, 0.6, 0.6}).known()), 0.6);
}

TEST(CeilingsHistory, AProcessThatFindsSomethingElseMeasuresAgain) {
  CeilingsHistory known = history({1});
  int calls = 0;
  known.measure(2000, [&] { return at(++calls == 1 ? 0.5 : 1); });
  EXPECT_EQ(calls, 2);
  EXPECT_THAT(known.measurements(), SizeIs(2));
  EXPECT_DOUBLE_EQ(known.measurements().back().ceilings.dram_bytes_per_second, 4e12);
  calls = 0;
  known.measure(2001, [&] {
    ++calls;
    return at(1.01);
  });
  EXPECT_EQ(calls, 1);
}

TEST(CeilingsHistory, WhatCannotBeIsLeftOut) {
  EXPECT_FALSE(is_plausible({}));
  EXPECT_FALSE(is_plausible({4e12, std::numeric_limits<double>::infinity(), 8e12, 0, 0}));
  EXPECT_FALSE(is_plausible({4e12, 1e12, 8e12, 0, 0})) << "a cache slower than memory";
  EXPECT_FALSE(is_plausible({4e12, 32e12, 1e12, 0, 0}));
  EXPECT_TRUE(is_plausible({4e10, 1e12, 0, 0, 0})) << "a CPU";
  CeilingsHistory history;
  history.measure(1000, [] { return Ceilings{}; });
  EXPECT_THAT(history.measurements(), SizeIs(0));
  EXPECT_EQ(history.known().measurements, 0);
}

TEST(CeilingsHistory, IsStoredAndReadWhateverElseIsInTheFile) {
  nlohmann::json stored = history({1, 0.9}).to_json();
  EXPECT_DOUBLE_EQ(share(CeilingsHistory(stored).known()), 1);
  stored["measurements"].push_back("a word");
  stored["measurements"].push_back({{"time", 1}, {"dram_bytes_per_second", 9e15}});
  EXPECT_THAT(CeilingsHistory(stored).measurements(), SizeIs(2));
  EXPECT_THAT(CeilingsHistory(nlohmann::json(3)).measurements(), SizeIs(0));
  EXPECT_THAT(CeilingsHistory(nlohmann::json{{"dram_bytes_per_second", 4e12}}).measurements(),
              SizeIs(0));
}

TEST(CeilingsHistory, KeepsTheLatestTwenty) {
  const CeilingsHistory many = history(std::vector<double>(30, 1));
  EXPECT_THAT(many.measurements(), SizeIs(20));
  EXPECT_EQ(many.known().first, 1010);
}

TEST(CeilingsHistory, TheSpreadIsWhatTheSmallestLacks) {
  EXPECT_DOUBLE_EQ(history({0.75, 1, 1}).known().spread.dram_bytes_per_second, 0.25);
}

TEST(CeilingsHistory, IsInTheOrderOfTimeHoweverItIsStored) {
  nlohmann::json stored = history({1, 0.9, 0.95}).to_json();
  std::swap(stored["measurements"][0], stored["measurements"][2]);
  const KnownCeilings known = CeilingsHistory(stored).known();
  EXPECT_EQ(known.first, 1000);
  EXPECT_EQ(known.last, 1002);
}

TEST(Ceilings, AWordInPlaceOfANumberIsNone) {
  const Ceilings ceilings =
      ceilings_from_json({{"dram_bytes_per_second", "fast"}, {"gather_bytes_per_second", 32e12}});
  EXPECT_EQ(ceilings.dram_bytes_per_second, 0);
  EXPECT_EQ(ceilings.gather_bytes_per_second, 32e12);
}

}  // namespace
}  // namespace msda
