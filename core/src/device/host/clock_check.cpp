#include "device/host/clock_check.hpp"

#include <sys/syscall.h>
#include <time.h>

#include <algorithm>
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

ClockCheck::ClockCheck() : asking_(1) {
  constexpr int kTimes = 5;
  for (int i = 0; i < kTimes; ++i) {
    const double began = kernel_seconds();
    asking_ = std::min(asking_, kernel_seconds() - began);
  }
}

void ClockCheck::begin() { began_ = kernel_seconds(); }

void ClockCheck::end(double seconds) {
  constexpr double kShare = 0.01;
  constexpr double kReading = 1e-6;  // the clock that times, twice
  const double passed = kernel_seconds() - began_;
  ++intervals_;
  if (std::abs(passed - seconds) <= kShare * passed + kReading + 3 * asking_) return;
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
