// How often launches of a cold series that do nothing are seen.
#include "device/cold_series.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace msda {
namespace {

constexpr int kSamples =
    10;  // of a block, and the blocks of five processes, as experiments have them
constexpr int kBlocks = 5 * 20;
constexpr double kChance = 1e-6;

TEST(ColdSeries, AShareOfLaunchesThatDoNothingIsSeen) {
  for (const double seconds : {3e-6, 60e-6}) {
    EXPECT_LT(std::pow(1 - 0.014, kBlocks * watched_beside(kSamples, seconds)), kChance);
  }
  for (const double seconds : {120e-6, 499e-6}) {
    EXPECT_LT(std::pow(1 - 0.05, kBlocks * watched_beside(kSamples, seconds)), kChance);
  }
}

TEST(ColdSeries, NoPlaceInABlockIsSafeToLeaveOut) {
  for (const double seconds : {3e-6, 120e-6}) {
    const int watched = watched_beside(kSamples, seconds);
    const int places = kSamples + watched;
    for (int place = 0; place < places; ++place) {
      int seen = 0;
      for (int first = 0; first < places; ++first) {
        seen += watched_places(kSamples, watched, first)[static_cast<std::size_t>(place)] ? 1 : 0;
      }
      EXPECT_LT(std::pow(1 - static_cast<double>(seen) / places, kBlocks), kChance) << place;
    }
  }
}

TEST(ColdSeries, AllSamplesAreTimedAndFewComeBehindWatchedLaunches) {
  for (int samples = 1; samples <= 12; ++samples) {
    const int watched = watched_beside(samples, 3e-6);
    for (int first = 0; first < samples + watched; ++first) {
      const auto places = watched_places(samples, watched, first);
      EXPECT_EQ(std::count(places.begin(), places.end(), false), samples);
      int behind = 0;
      for (std::size_t i = 1; i < places.size(); ++i) behind += places[i - 1] && !places[i] ? 1 : 0;
      EXPECT_LE(behind, 1);
    }
  }
}

}  // namespace
}  // namespace msda
