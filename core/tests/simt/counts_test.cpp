// What the executor counts of loads and of rows.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "device/simt/requests.hpp"
#include "device/simt/rows.hpp"

namespace msda::simt {
namespace {

using Numbers = std::map<std::string, double>;

/// Of a warp whose lanes read words of so many bytes, so far from one another.
Numbers of_a_warp(std::uintptr_t bytes, std::uintptr_t apart) {
  Requests requests("value");
  for (std::size_t lane = 0; lane < 32; ++lane) {
    requests.load(lane, 0, 7, 4096 + lane * apart, bytes);
  }
  Numbers numbers;
  requests.add_to(numbers);
  return numbers;
}

TEST(Requests, OfNeighbouringWordsAreOneRunWithoutConflicts) {
  const Numbers numbers = of_a_warp(4, 4);
  EXPECT_EQ(numbers.at("value.requests"), 1);
  EXPECT_EQ(numbers.at("value.sectors-per-request"), 4);
  EXPECT_EQ(numbers.at("value.bytes-per-sector"), 32);
  EXPECT_EQ(numbers.at("value.run-lanes"), 32);
  EXPECT_EQ(numbers.at("value.conflicts-per-request"), 0);
}

TEST(Requests, OfEveryOtherWordNeedASecondPassOfTheBanks) {
  const Numbers numbers = of_a_warp(4, 8);
  EXPECT_EQ(numbers.at("value.sectors-per-request"), 8);
  EXPECT_EQ(numbers.at("value.bytes-per-sector"), 16);
  EXPECT_EQ(numbers.at("value.run-lanes"), 1);
  EXPECT_EQ(numbers.at("value.conflicts-per-request"), 1);
}

TEST(Requests, OfSixteenBytesAreServedForEightLanesAtATime) {
  EXPECT_EQ(of_a_warp(16, 16).at("value.conflicts-per-request"), 0);
  EXPECT_EQ(of_a_warp(16, 32).at("value.conflicts-per-request"), 4);
}

/// Of one row, whose samples are read in a tile and whose output is written in another one.
Numbers of_a_row(unsigned read_in, unsigned written_in) {
  Rows rows(1, 32);
  rows.read_samples(5, read_in);
  rows.write_output(5, 0, 0, written_in);
  Numbers numbers;
  rows.add_to(numbers);
  return numbers;
}

TEST(Rows, ArePrefetchedWhereAnEarlierTileReadsTheirSamples) {
  EXPECT_EQ(of_a_row(0, 1).at("rows.prefetched"), 1);
  EXPECT_FALSE(of_a_row(1, 1).contains("rows.prefetched"));
}

}  // namespace
}  // namespace msda::simt
