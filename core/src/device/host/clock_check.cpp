#include "device/host/clock_check.hpp"

#include <sys/syscall.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include <msda/error.hpp>

namespace msda {
namespace {

double kernel_seconds() {
  timespec time{};
#if defined(__x86_64__)
  long result = SYS_clock_gettime;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(CLOCK_MONOTONIC), "S"(&time)
               : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register long number asm("x8") = SYS_clock_gettime;
  register long clock asm("x0") = CLOCK_MONOTONIC;
  register timespec* to asm("x1") = &time;
  asm volatile("svc #0" : "+r"(clock) : "r"(number), "r"(to) : "memory");
#else
  clock_gettime(CLOCK_MONOTONIC, &time);
#endif
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

void ClockCheck::begin() {
  const double asked = kernel_seconds();
  signals_.hold();  // not released: what waits has to come inside of the interval
  static_cast<void>(std::chrono::steady_clock::now());
  static_cast<void>(std::chrono::steady_clock::now());
  signals_.hold();
  began_ = kernel_seconds();
  asking_.push_back(began_ - asked);
}

void ClockCheck::end(double seconds) { intervals_.push_back({seconds, kernel_seconds() - began_}); }

void ClockCheck::require_agreement() const {
  if (intervals_.empty()) return;
  constexpr double kShare = 0.01;
  constexpr double kSpread = 10;         // some asking takes as much longer than the median
  constexpr double kMostAsking = 20e-6;  // or another clock would only have to be slow
  std::vector<double> asking = asking_;
  std::ranges::nth_element(asking, asking.begin() + static_cast<std::ptrdiff_t>(asking.size() / 2));
  const double beside = kSpread * std::min(asking[asking.size() / 2], kMostAsking);
  Interval others{};
  std::size_t count = 0;
  for (const auto& [timed, passed] : intervals_) {
    if (std::abs(passed - timed) <= kShare * passed + beside) continue;
    ++count;
    others.timed += timed;
    others.passed += passed;
  }
  if (count < 2 || 2 * count <= intervals_.size()) return;
  throw Error(
      fmt::format("the clock that times it was changed: {} of {} launches took {:.3g} ms by "
                  "that clock and {:.3g} ms by the system's",
                  count, intervals_.size(), 1e3 * others.timed, 1e3 * others.passed));
}

}  // namespace msda
