// What the studies of intervals share. They stand behind the interval and the default number of
// processes, see README.md: they print the tables that stand there, and hold the chosen
// way against its bar.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "results/record.hpp"
#include "statistics/estimate.hpp"
#include "studies/interval_ways.hpp"
#include "support/simulated.hpp"

namespace msda::study {

using simulated::Simulation;
using simulated::World;

inline constexpr int kExperiments = 2000;

struct NamedWorld {
  const char* name;
  World world;
};

/// The deviations of processes and blocks are as small as an idle GPU has them.
std::vector<NamedWorld> worlds();
/// `world` with this deviation of processes, and few blocks in each.
World as_loud_as(World world, double deviation);

/// Of the log times of two arms, block by block.
LogsByProcess log_ratios(const std::vector<SampleBlock>& numerator,
                         const std::vector<SampleBlock>& denominator);

struct Coverage {
  double covered = 0;
  double half_width = 0;  ///< mean over experiments
};

/// Of each way, over the same experiments.
std::vector<Coverage> coverage_of(std::span<const Way> ways, const World& world, int processes);
/// Of the way that the program takes.
Coverage coverage_of_chosen(const World& world, int processes);

/// A table in Markdown on the standard output. Fails where README.md does not have it.
void print_table(const char* title, const std::vector<std::string>& columns,
                 const std::vector<std::vector<std::string>>& rows);
/// Of a count over all experiments, of which each has so many. Divided once: a sum of shares would
/// miss a bound that the count meets.
double average(int total, std::size_t each = 1);
/// "95.2%"
std::string percent(double share);

}  // namespace msda::study
