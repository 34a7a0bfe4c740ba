// How much has to speak against a clock before it counts as changed.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include <msda/error.hpp>

#include "device/host/clock_check.hpp"

namespace msda {
namespace {

/// Series of intervals of 2 ms.
class ClockCheckTest : public testing::Test {
 protected:
  void series(std::size_t honest, std::size_t others) {
    const HeldSignals signals;
    clock_.begin_series(honest + others);
    for (std::size_t i = 0; i < honest + others; ++i) {
      clock_.begin(signals);
      const auto start = std::chrono::steady_clock::now();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
      clock_.end(i < honest ? passed.count() : passed.count() / 2);
    }
  }

  ClockCheck clock_;
};

TEST_F(ClockCheckTest, MostIntervalsOfASeriesAreNeeded) {
  series(4, 4);
  EXPECT_NO_THROW(clock_.require_agreement());
  series(3, 5);
  EXPECT_THROW(clock_.require_agreement(), Error);
}

/// An interrupt within each of two intervals is nothing rare.
TEST_F(ClockCheckTest, FewIntervalsNameNoClockAndSeveralSeriesOfThemDo) {
  series(0, 2);
  EXPECT_NO_THROW(clock_.require_agreement());
  series(0, 2);
  EXPECT_THROW(clock_.require_agreement(), Error);
}

TEST_F(ClockCheckTest, WhatAnArmWasBeforeCountsNothingInALongSeries) {
  series(30, 0);
  series(3, 5);
  EXPECT_THROW(clock_.require_agreement(), Error);
}

TEST_F(ClockCheckTest, WhatAnArmWasBeforeIsForgotten) {
  series(30, 0);
  series(0, 3);
  EXPECT_NO_THROW(clock_.require_agreement());
  series(0, 3);
  EXPECT_THROW(clock_.require_agreement(), Error);
}

/// Of launches that take nothing an interval has what asking and signals take.
TEST_F(ClockCheckTest, IntervalsOfNothingNameNoClock) {
  constexpr std::size_t kIntervals = 8;
  const HeldSignals signals;
  for (int series = 0; series < 50; ++series) {
    clock_.begin_series(kIntervals);
    for (std::size_t i = 0; i < kIntervals; ++i) {
      clock_.begin(signals);
      signals.release();
      const auto start = std::chrono::steady_clock::now();
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
      signals.hold();
      clock_.end(passed.count());
    }
    EXPECT_NO_THROW(clock_.require_agreement()) << series;
  }
}

}  // namespace
}  // namespace msda
