#include "device/host/clock_check.hpp"

#include <sys/syscall.h>
#include <time.h>

#include <algorithm>
#include <array>
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

double seconds_of_asking(const std::function<void()>& before) {
  std::array<double, 5> asking{};
  for (double& seconds : asking) {
    before();
    const double began = kernel_seconds();
    static_cast<void>(std::chrono::steady_clock::now());
    static_cast<void>(std::chrono::steady_clock::now());
    seconds = kernel_seconds() - began;
  }
  std::ranges::sort(asking);
  return asking[asking.size() / 2];
}

ClockCheck::ClockCheck(double asking) : asking_(asking) {}

void ClockCheck::begin() { began_ = kernel_seconds(); }

void ClockCheck::end(double seconds) {
  constexpr double kShare = 0.01;
  constexpr double kSpread = 10;  // some asking takes as much longer than the median
  const double passed = kernel_seconds() - began_;
  ++intervals_;
  if (std::abs(passed - seconds) <= kShare * passed + kSpread * asking_) return;
  ++other_;
  timed_ += seconds;
  passed_ += passed;
}

void ClockCheck::require_agreement() const {
  if (other_ < 2 || 2 * other_ <= intervals_) return;
  throw Error(
      fmt::format("the clock that times it was changed: {} of {} launches took {:.3g} ms by "
                  "that clock and {:.3g} ms by the system's",
                  other_, intervals_, 1e3 * timed_, 1e3 * passed_));
}

}  // namespace msda
