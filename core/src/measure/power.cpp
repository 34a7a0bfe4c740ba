#include "measure/power.hpp"

#include <cstdint>

#include "elapsed.hpp"

namespace msda {
namespace {

/// Launches that follow one another before the counter is read again: short against its movements,
/// long against a launch.
constexpr double kPieceSeconds = 5e-3;
constexpr int kMostLaunches = 1 << 16;

/// The device at a movement of its counter.
struct Reading {
  double joules;
  double seconds;
  std::int64_t launches;
};

/// So many launches take about kPieceSeconds.
int launches_of_piece(Device& device, GroupInputs& inputs, Executable& executable) {
  int launches = 1;
  while (launches < kMostLaunches) {
    const auto start = std::chrono::steady_clock::now();
    warm_up(device, inputs, executable, launches);
    if (seconds_since(start) >= kPieceSeconds) break;
    launches *= 2;
  }
  return launches;
}

/// The clock while launches are at work, which an idle device raises again.
std::optional<double> busy_clock(Device& device, GroupInputs& inputs, Executable& executable,
                                 int launches) {
  for (int i = 0; i < launches; ++i) {
    executable.launch(inputs.tensors_of_launch(i), device.stream());
  }
  const std::optional<Conditions> now = device.conditions();
  device.synchronize();
  return now ? now->sm_clock_mhz : std::nullopt;
}

}  // namespace

std::optional<PowerDraw> measure_power(Device& device, GroupInputs& inputs, Executable& executable,
                                       std::chrono::duration<double> seconds) {
  constexpr double kPatience = 4;
  std::optional<double> counter = device.energy_joules();
  if (!counter) return std::nullopt;
  const int piece = launches_of_piece(device, inputs, executable);
  std::optional<Reading> first;
  std::int64_t launches = 0;
  const auto start = std::chrono::steady_clock::now();
  while (seconds_since(start) < kPatience * seconds.count()) {
    warm_up(device, inputs, executable, piece);
    launches += piece;
    const std::optional<double> now = device.energy_joules();
    if (!now || *now == *counter) continue;
    counter = now;
    const Reading reading{*now, seconds_since(start), launches};
    if (!first) first = reading;
    const double apart = reading.seconds - first->seconds;
    if (apart < seconds.count()) continue;
    const double joules = reading.joules - first->joules;
    return PowerDraw{joules / static_cast<double>(reading.launches - first->launches),
                     joules / apart, busy_clock(device, inputs, executable, piece)};
  }
  return std::nullopt;
}

}  // namespace msda
