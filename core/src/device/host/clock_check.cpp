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

void ClockCheck::begin_series(std::size_t intervals) {
  constexpr std::size_t kJudged = 8;
  const std::size_t kept = kJudged - std::min(intervals, kJudged);
  if (intervals_.size() > kept) {
    intervals_.erase(intervals_.begin(), intervals_.end() - static_cast<std::ptrdiff_t>(kept));
  }
  intervals_.reserve(kept + intervals);  // so that none of the intervals sees memory allocated
}

void ClockCheck::begin(const HeldSignals& signals) {
  constexpr double kMostOfClock = 2e-6;  // or another clock would only have to be slow
  const double asked = kernel_seconds();
  signals.hold();  // not released: what came meanwhile comes inside of the interval
  signals.hold();
  const double set = kernel_seconds();
  static_cast<void>(std::chrono::steady_clock::now());
  static_cast<void>(std::chrono::steady_clock::now());
  began_ = kernel_seconds();
  asking_ = set - asked + std::min(began_ - set, kMostOfClock);
}

void ClockCheck::end(double seconds) {
  const double passed = kernel_seconds() - began_;
  intervals_.push_back({asking_, seconds, passed});
}

void ClockCheck::require_agreement() const {
  constexpr double kShare = 0.01;
  constexpr double kSpread = 10;         // some asking takes as much longer than the median
  constexpr double kMostAsking = 20e-6;  // or system calls would only have to be slow
  constexpr std::size_t kLeast = 4;      // one of 100 honest intervals seems to be another clock's
  if (intervals_.size() < kLeast) return;
  std::vector<double> asking;
  for (const Interval& one : intervals_) asking.push_back(one.asking);
  std::ranges::nth_element(asking, asking.begin() + static_cast<std::ptrdiff_t>(asking.size() / 2));
  const double beside = kSpread * std::min(asking[asking.size() / 2], kMostAsking);
  Interval others{};
  std::size_t count = 0;
  for (const auto& [_, timed, passed] : intervals_) {
    if (std::abs(passed - timed) <= kShare * passed + beside) continue;
    ++count;
    others.timed += timed;
    others.passed += passed;
  }
  if (count < kLeast || 2 * count <= intervals_.size()) return;
  throw Error(fmt::format(
      "the clock that times it was changed, or other programs keep this machine busy: {} "
      "of {} launches took {:.3g} ms by that clock and {:.3g} ms by the system's",
      count, intervals_.size(), 1e3 * others.timed, 1e3 * others.passed));
}

}  // namespace msda
