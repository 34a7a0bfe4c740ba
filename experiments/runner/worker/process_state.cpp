#include "runner/worker/process_state.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <clocale>
#include <iterator>
#include <system_error>

namespace msda {
namespace {

mode_t umask_now() {
  const mode_t now = ::umask(0);
  ::umask(now);
  return now;
}

}  // namespace

ProcessState::ProcessState() : locale_(std::setlocale(LC_ALL, nullptr)), umask_(umask_now()) {
  ::fegetenv(&arithmetic_);
  ::sched_getaffinity(0, sizeof processors_, &processors_);
  std::error_code unknown;
  directory_ = std::filesystem::current_path(unknown);
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked_);
  for (int i = 1; i < kSignals; ++i) {
    ::sigaction(i, nullptr, &actions_[static_cast<std::size_t>(i)]);
  }
}

/// fesetenv() also brings back MXCSR, and with that denormal numbers.
ProcessState::~ProcessState() {
  ::fesetenv(&arithmetic_);
  cpu_set_t processors{};
  ::sched_getaffinity(0, sizeof processors, &processors);
  if (!CPU_EQUAL(&processors, &processors_)) {
    ::sched_setaffinity(0, sizeof processors_, &processors_);
  }
  const itimerval none{};
  ::setitimer(ITIMER_REAL, &none, nullptr);
  if (locale_ != std::setlocale(LC_ALL, nullptr)) std::setlocale(LC_ALL, locale_.c_str());
  std::error_code gone;
  if (std::filesystem::current_path(gone) != directory_) {
    std::filesystem::current_path(directory_, gone);
  }
  ::umask(umask_);
  ::pthread_sigmask(SIG_SETMASK, &blocked_, nullptr);
  for (int i = 1; i < kSignals; ++i) {
    if (i != SIGKILL && i != SIGSTOP) {
      ::sigaction(i, &actions_[static_cast<std::size_t>(i)], nullptr);
    }
  }
}

std::size_t open_descriptors() {
  std::error_code unknown;
  const std::filesystem::directory_iterator descriptors("/proc/self/fd", unknown);
  return static_cast<std::size_t>(std::distance(begin(descriptors), end(descriptors)));
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace msda
