// Energy of a launch, on a device whose counter of energy moves in steps.
#include "measure/power.hpp"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "operators/operator.hpp"
#include "support/problems.hpp"

namespace msda {
namespace {

constexpr double kJoules = 0.25;  ///< of a launch

/// The CPU, with a counter that moves after every `step` launches; 0: there is none, -1: it stands
/// still.
class Metered final : public Device {
 public:
  explicit Metered(int step) : step_(step) {}

  const DeviceInfo& info() const override { return cpu_->info(); }
  std::int64_t free_bytes() const override { return cpu_->free_bytes(); }
  std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
    return cpu_->allocate(bytes);
  }
  Stream stream() const override { return cpu_->stream(); }
  void synchronize() override { cpu_->synchronize(); }
  Build compile(const Composition& composition, const Problem& problem) override {
    return cpu_->compile(composition, problem);
  }
  Prepared load(const Composition& composition, const Problem& problem,
                const Build& build) override {
    return cpu_->load(composition, problem, build);
  }
  std::string mode_unsupported(TimingMode mode) const override {
    return cpu_->mode_unsupported(mode);
  }
  std::map<std::string, std::string> provenance() const override { return {}; }
  Ceilings measure_ceilings() override { return cpu_->measure_ceilings(); }
  std::vector<std::vector<double>> time_parts(TimingMode mode, int samples, int parts,
                                              const std::function<void(int, int)>& launch,
                                              LaunchWatch* watch) override {
    return cpu_->time_parts(mode, samples, parts, launch, watch);
  }

  std::optional<Conditions> conditions() const override {
    Conditions conditions;
    conditions.sm_clock_mhz = 1500;
    return conditions;
  }
  std::optional<double> energy_joules() const override {
    if (step_ == 0) return std::nullopt;
    last_joules = step_ < 0 ? 7 : launches / step_ * step_ * kJoules;
    if (step_ > 0 && last_joules > 0 && !first_movement) {
      first_movement = std::chrono::steady_clock::now();
      first_joules = last_joules;
    }
    return last_joules;
  }

  int launches = 0;
  /// When the counter was first seen to have moved, and where it stood then and stands now.
  mutable std::optional<std::chrono::steady_clock::time_point> first_movement;
  mutable double first_joules = 0;
  mutable double last_joules = 0;

 private:
  std::unique_ptr<Device> cpu_ = open_device("cpu");
  int step_;
};

/// A launch that takes a while and is counted.
class Counted final : public Executable {
 public:
  explicit Counted(Metered& device) : device_(device) {}
  void launch(const Tensors&, Stream) override {
    std::this_thread::sleep_for(std::chrono::microseconds(500));
    ++device_.launches;
  }

 private:
  Metered& device_;
};

std::optional<PowerDraw> power_of(Metered& device, std::chrono::duration<double> seconds) {
  auto input = std::make_shared<const Input>(generate(tiny_problem(), Generation()));
  const Operator& op = find_operator("forward");
  auto truths = std::make_shared<const std::vector<Truth>>(make_truths(op, *input));
  GroupInputs inputs(device, {{input, "", &op, truths}});
  Counted executable(device);
  return measure_power(device, inputs, executable, seconds);
}

std::optional<PowerDraw> power_with(int step, std::chrono::duration<double> seconds) {
  Metered device(step);
  return power_of(device, seconds);
}

TEST(Power, IsWhatTheCounterMovesByForEachLaunch) {
  // A movement is 128 launches: those before the first one that is seen do not count.
  const auto power = power_with(128, std::chrono::milliseconds(300));
  ASSERT_TRUE(power);
  EXPECT_NEAR(power->joules, kJoules, kJoules / 10);  // a movement is seen a few launches late
  EXPECT_LT(power->watts, kJoules / 500e-6);
  EXPECT_GT(power->watts, 0);
  EXPECT_EQ(power->sm_clock_mhz, 1500);
}

TEST(Power, IsAbsentWithoutACounterAndWithOneThatStandsStill) {
  EXPECT_FALSE(power_with(0, std::chrono::milliseconds(200)));
  EXPECT_FALSE(power_with(-1, std::chrono::milliseconds(10)));
}

TEST(Power, IsDrawnBetweenTheFirstMovementAndTheLast) {
  Metered device(128);
  const auto power = power_of(device, std::chrono::milliseconds(300));
  ASSERT_TRUE(power && device.first_movement);
  const std::chrono::duration<double> since =
      std::chrono::steady_clock::now() - *device.first_movement;
  EXPECT_LE((device.last_joules - device.first_joules) / power->watts, since.count());
}

}  // namespace
}  // namespace msda
