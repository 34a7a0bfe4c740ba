// How often intervals hold the truth: by the way they are made, in many worlds, and where their
// assumption does not hold.
#include <array>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "studies/study.hpp"

namespace msda::study {
namespace {

constexpr std::array kCounts{2, 3, 4, 5, 8, 10};

std::vector<std::string> columns_behind(const char* first) {
  std::vector<std::string> columns{first};
  for (const int processes : kCounts) columns.push_back(fmt::format("{} processes", processes));
  return columns;
}

TEST(IntervalStudy, WaysToMakeAnInterval) {
  const std::vector<std::string> columns = columns_behind("interval");
  std::vector<std::vector<std::string>> rows;
  for (const Way& way : ways()) rows.push_back({way.name});
  for (const int processes : kCounts) {
    const auto found = coverage_of(ways(), simulated::harsh_world(), processes);
    for (std::size_t w = 0; w < found.size(); ++w) rows[w].push_back(percent(found[w].covered));
  }
  print_table("Coverage of 95% intervals, all disturbances at once", columns, rows);
}

TEST(IntervalStudy, TheChosenOneCoversInEveryWorld) {
  const std::vector<std::string> columns = columns_behind("world");
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, world] : worlds()) {
    std::vector<std::string>& row = rows.emplace_back();
    row.emplace_back(name);
    for (const int processes : kCounts) {
      const Coverage found = coverage_of_chosen(world, processes);
      row.push_back(percent(found.covered));
      EXPECT_GE(found.covered, 0.93) << name << ", " << processes << " processes";
      EXPECT_LE(found.covered, 0.975) << name << ", " << processes << " processes";
    }
  }
  print_table("Coverage of Student's t over the means of processes", columns, rows);
}

/// What repetition of processes cannot see: an arm that is off in all of them, or by the one that
/// runs before it, and processes that are like those before them.
std::vector<NamedWorld> blind_spots() {
  World biased;
  biased.arm_bias = 0.002;
  World very_biased;
  very_biased.arm_bias = 0.01;
  World warmed;
  warmed.carry_over = 0.002;
  World hot;
  hot.carry_over = 0.01;
  World alike;
  alike.autocorrelation = 0.3;
  World very_alike;
  very_alike.autocorrelation = 0.6;
  return {{"each arm off by 0.2% in all processes", biased},
          {"each arm off by 1% in all processes", very_biased},
          {"an arm slows the one after it by 0.2%", warmed},
          {"an arm slows the one after it by 1%", hot},
          {"processes correlated by 0.3", alike},
          {"processes correlated by 0.6", very_alike}};
}

TEST(IntervalStudy, WhatNoNumberOfProcessesCures) {
  const std::vector<std::string> columns = columns_behind("world");
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, world] : blind_spots()) {
    std::vector<std::string>& row = rows.emplace_back();
    row.emplace_back(name);
    for (const int processes : kCounts) {
      row.push_back(percent(coverage_of_chosen(world, processes).covered));
    }
  }
  // Were these to cover, the worlds would not be what their names say.
  EXPECT_LT(coverage_of_chosen(blind_spots()[1].world, 10).covered, 0.8);
  EXPECT_LT(coverage_of_chosen(blind_spots()[5].world, 10).covered, 0.9);
  print_table("Coverage of the same intervals where their assumption does not hold", columns, rows);
}

}  // namespace
}  // namespace msda::study
