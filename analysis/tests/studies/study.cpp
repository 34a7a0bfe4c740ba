#include "studies/study.hpp"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "statistics/statistics.hpp"

namespace msda::study {
namespace {

constexpr double kTruth = 0.26;  // log of a ratio of 1.3

std::string line(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

/// With an empty line at its end, which comes after each table.
std::string document() {
  std::ifstream stream(MSDA_SOURCE_DIR "/analysis/tests/studies/README.md");
  return std::string{std::istreambuf_iterator<char>(stream), {}} + "\n";
}

}  // namespace

std::vector<NamedWorld> worlds() {
  World calm;
  World drifting;
  drifting.drift = 0.1;
  World outliers;
  outliers.outlier_share = 0.05;
  outliers.upset_share = 0.05;
  World tails;
  tails.process_tail = 3;
  World blocks_only;
  blocks_only.process_deviation = 0;
  World bimodal;
  bimodal.two_places = 0.01;
  World cut;
  cut.cut_share = 0.9;
  return {{"calm", calm},
          {"drift of 10%", drifting},
          {"outliers", outliers},
          {"heavy tails (t, 3)", tails},
          {"no spread between processes", blocks_only},
          {"two places, 2% apart", bimodal},
          {"budget cuts up to 90% of the blocks", cut},
          {"all at once", simulated::harsh_world()}};
}

World as_loud_as(World world, double deviation) {
  world.process_deviation = deviation;
  world.blocks = 6;
  world.samples = 5;
  return world;
}

LogsByProcess log_ratios(const std::vector<SampleBlock>& numerator,
                         const std::vector<SampleBlock>& denominator) {
  const LogTimes below = log_medians(denominator);
  LogsByProcess logs;
  for (const auto& [key, log_time] : log_medians(numerator)) {
    logs[key.first].push_back(log_time - below.at(key));
  }
  return logs;
}

std::vector<Coverage> coverage_of(std::span<const Way> ways, const World& world, int processes) {
  Simulation simulation(static_cast<std::uint64_t>(processes));
  std::mt19937_64 random(1);
  std::vector<Coverage> result(ways.size());
  std::vector<int> covered(ways.size());
  for (int e = 0; e < kExperiments; ++e) {
    const auto arms = simulation.run(world, processes, {kTruth, 0});
    const LogsByProcess logs = log_ratios(arms[0], arms[1]);
    for (std::size_t w = 0; w < ways.size(); ++w) {
      const Interval interval = ways[w].interval(logs, random);
      covered[w] += interval.contains(kTruth) ? 1 : 0;
      result[w].half_width += (interval.high - interval.low) / 2 / kExperiments;
    }
  }
  for (std::size_t w = 0; w < ways.size(); ++w) result[w].covered = average(covered[w]);
  return result;
}

Coverage coverage_of_chosen(const World& world, int processes) {
  return coverage_of(ways().first(1), world, processes).front();
}

void print_table(const char* title, const std::vector<std::string>& columns,
                 const std::vector<std::vector<std::string>>& rows) {
  std::string table = line(columns) + line(std::vector<std::string>(columns.size(), "---"));
  for (const auto& row : rows) table += line(row);
  fmt::print("\n{}\n\n{}", title, table);
  EXPECT_TRUE(document().find("\n\n" + table + "\n") != std::string::npos)
      << "README.md beside this file has another table of: " << title;
}

double average(int total, std::size_t each) {
  return total / (kExperiments * static_cast<double>(each));
}

std::string percent(double share) { return fmt::format("{:.1f}%", share * 100); }

}  // namespace msda::study
