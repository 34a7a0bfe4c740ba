// Experiments made up with everything that disturbs a real one, where the truth is known.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "results/record.hpp"

namespace msda::simulated {

/// What disturbs the times of an arm. All deviations are of log time.
struct World {
  int blocks = 20;  ///< in each process
  int samples = 10;
  /// Of an arm in a process, against the same arm in others: where its memory lies, how the
  /// process' clocks settle.
  double process_deviation = 0.003;
  /// Student t with this many degrees of freedom instead of a normal, with the same deviation; 0:
  /// normal. 4 is about the heaviest tail with which the deviation is still worth its name.
  int process_tail = 0;
  double block_deviation = 0.003;  ///< of an arm in a block
  double sample_deviation = 0.01;
  double drift = 0;  ///< of the machine, in a whole process: a random walk and a slope
  /// Half the distance of two places that an arm falls into, with equal chance in each process:
  /// two ways to lie in memory, two clocks.
  double two_places = 0;
  /// Correlation of an arm's deviation in one process with that in the next.
  double autocorrelation = 0;
  /// Of an arm in all processes: where it stands in the list, which names it goes by. No number of
  /// processes takes it out.
  double arm_bias = 0;
  double carry_over = 0;   ///< of an arm by the one that ran before it: a draw for each of those
  double slot_effect = 0;  ///< of each place further back in a block, whichever arm is there
  /// Most of a process' blocks that a time budget leaves out, as a share; one stays.
  double cut_share = 0;
  double outlier_share = 0;  ///< of samples that take up to 3 times as long
  double upset_share = 0;    ///< of an arm's blocks that are 5% off as a whole
};

/// Everything at once, about as bad as a shared machine gets.
inline World harsh_world() {
  World world;
  world.process_tail = 4;
  world.drift = 0.05;
  world.outlier_share = 0.03;
  world.upset_share = 0.02;
  return world;
}

class Simulation {
 public:
  explicit Simulation(std::uint64_t seed) : random_(seed) {}

  /// The samples of arms whose log times are `log_times`, which run in shuffled order inside each
  /// block: one list of blocks for each arm.
  std::vector<std::vector<SampleBlock>> run(const World& world, int processes,
                                            const std::vector<double>& log_times) {
    std::vector<std::vector<SampleBlock>> arms(log_times.size());
    Arms drawn = draw_arms(world, log_times);
    for (int p = 0; p < processes; ++p) run_process(world, p, drawn, arms);
    return arms;
  }

 private:
  /// What stays the same over the processes of an experiment.
  struct Arms {
    std::vector<double> log_times;
    std::vector<double> deviations;  ///< of the process before
    std::vector<double> heat;        ///< what each arm does to the one after it
  };

  Arms draw_arms(const World& world, const std::vector<double>& log_times) {
    Arms arms;
    for (const double log_time : log_times) {
      arms.log_times.push_back(log_time + world.arm_bias * normal_(random_));
      arms.deviations.push_back(process_deviation(world));
      arms.heat.push_back(world.carry_over * normal_(random_));
    }
    return arms;
  }

  void run_process(const World& world, int process, Arms& drawn,
                   std::vector<std::vector<SampleBlock>>& arms) {
    const std::size_t count = arms.size();
    std::vector<double> places;
    for (std::size_t arm = 0; arm < count; ++arm) {
      places.push_back(drawn.log_times[arm] + next_deviation(world, drawn.deviations[arm]));
    }
    const int blocks = blocks_of(world);
    const double steps = static_cast<double>(count) * blocks;
    const double slope = world.drift * normal_(random_) / steps;
    double machine = 0;
    double carried = 0;
    for (int block = 0; block < blocks; ++block) {
      double slot = 0;
      for (const std::size_t arm : shuffled(count)) {
        machine += slope + world.drift / std::sqrt(steps) * normal_(random_);
        arms[arm].push_back(
            {process, block, samples(world, places[arm] + machine + carried + slot)});
        slot += world.slot_effect;
        carried = drawn.heat[arm];
      }
    }
  }

  int blocks_of(const World& world) {
    if (world.cut_share == 0) return world.blocks;
    const double kept = 1 - world.cut_share * uniform_(random_);
    return std::max(1, static_cast<int>(kept * world.blocks));
  }

  /// Of an arm in the next process, as far as it follows from the one before.
  double next_deviation(const World& world, double& last) {
    const double fresh = process_deviation(world);
    const double rho = world.autocorrelation;
    last = rho * last + std::sqrt(1 - rho * rho) * fresh;
    if (world.two_places == 0) return last;
    return last + (uniform_(random_) < 0.5 ? world.two_places : -world.two_places);
  }

  double process_deviation(const World& world) {
    if (world.process_tail == 0) return world.process_deviation * normal_(random_);
    const double degrees = world.process_tail;
    std::student_t_distribution<double> tail(degrees);
    return world.process_deviation * std::sqrt((degrees - 2) / degrees) * tail(random_);
  }

  std::vector<double> samples(const World& world, double centre) {
    centre += world.block_deviation * normal_(random_);
    if (uniform_(random_) < world.upset_share) centre += uniform_(random_) < 0.5 ? 0.05 : -0.05;
    std::vector<double> seconds;
    for (int i = 0; i < world.samples; ++i) {
      double log_time = centre + world.sample_deviation * normal_(random_);
      if (uniform_(random_) < world.outlier_share) log_time += std::log(3.0) * uniform_(random_);
      seconds.push_back(1e-3 * std::exp(log_time));
    }
    return seconds;
  }

  std::vector<std::size_t> shuffled(std::size_t count) {
    std::vector<std::size_t> order(count);
    for (std::size_t i = 0; i < count; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random_);
    return order;
  }

  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

}  // namespace msda::simulated
