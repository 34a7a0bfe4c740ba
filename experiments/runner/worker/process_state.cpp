#include "runner/worker/process_state.hpp"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <clocale>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

namespace msda {
namespace {

mode_t umask_now() {
  const mode_t now = ::umask(0);
  ::umask(now);
  return now;
}

/// Numbers of the kernel, which the library's handles hide.
std::set<int> timers_now() {
  std::set<int> timers;
  std::ifstream file("/proc/self/timers");
  for (std::string word; file >> word;) {
    int number = 0;
    if (word == "ID:" && file >> number) timers.insert(number);
  }
  return timers;
}

std::vector<std::string> environment_now() {
  std::vector<std::string> all;
  for (char** one = environ; one != nullptr && *one != nullptr; ++one) all.emplace_back(*one);
  return all;
}

}  // namespace

ProcessState::ProcessState()
    : locale_(std::setlocale(LC_ALL, nullptr)),
      environment_(environment_now()),
      umask_(umask_now()) {
  ::fegetenv(&arithmetic_);
  ::sched_getaffinity(0, sizeof processors_, &processors_);
  std::error_code unknown;
  directory_ = std::filesystem::current_path(unknown);
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked_);
  for (int i = 1; i < kSignals; ++i) {
    ::sigaction(i, nullptr, &actions_[static_cast<std::size_t>(i)]);
  }
  for (int i = 0; i < kLimits; ++i) {
    ::getrlimit(static_cast<__rlimit_resource>(i), &limits_[static_cast<std::size_t>(i)]);
  }
  priority_ = ::getpriority(PRIO_PROCESS, 0);
  policy_ = ::sched_getscheduler(0);
  ::sched_getparam(0, &scheduled_);
  timers_ = timers_now();
}

/// fesetenv() also brings back MXCSR, and with that denormal numbers.
ProcessState::~ProcessState() {
  ::fesetenv(&arithmetic_);
  cpu_set_t processors{};
  ::sched_getaffinity(0, sizeof processors, &processors);
  if (!CPU_EQUAL(&processors, &processors_)) {
    ::sched_setaffinity(0, sizeof processors_, &processors_);
  }
  put_back_limits();
  put_back_environment();
  end_timers();
  if (locale_ != std::setlocale(LC_ALL, nullptr)) std::setlocale(LC_ALL, locale_.c_str());
  std::error_code gone;
  if (std::filesystem::current_path(gone) != directory_) {
    std::filesystem::current_path(directory_, gone);
  }
  ::umask(umask_);
  // To ignore a signal drops it where it waits.
  sigset_t waiting{};
  ::sigpending(&waiting);
  for (int i = 1; i < kSignals; ++i) {
    if (::sigismember(&waiting, i) == 1 && ::sigismember(&blocked_, i) == 0) ::signal(i, SIG_IGN);
  }
  ::pthread_sigmask(SIG_SETMASK, &blocked_, nullptr);
  for (int i = 1; i < kSignals; ++i) {
    if (i != SIGKILL && i != SIGSTOP) {
      ::sigaction(i, &actions_[static_cast<std::size_t>(i)], nullptr);
    }
  }
}

/// What a limit forbids may be needed for all that follows. A limit that nobody may raise again
/// stays.
void ProcessState::put_back_limits() const {
  for (int i = 0; i < kLimits; ++i) {
    rlimit now{};
    const rlimit& before = limits_[static_cast<std::size_t>(i)];
    const auto resource = static_cast<__rlimit_resource>(i);
    if (::getrlimit(resource, &now) == 0 && std::memcmp(&now, &before, sizeof now) != 0) {
      ::setrlimit(resource, &before);
    }
  }
  if (::sched_getscheduler(0) != policy_) ::sched_setscheduler(0, policy_, &scheduled_);
  if (::getpriority(PRIO_PROCESS, 0) != priority_) ::setpriority(PRIO_PROCESS, 0, priority_);
}

void ProcessState::put_back_environment() const {
  if (environment_now() == environment_) return;
  ::clearenv();
  for (const std::string& one : environment_) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos) continue;
    ::setenv(one.substr(0, equals).c_str(), one.c_str() + equals + 1, 1);
  }
}

void ProcessState::end_timers() const {
  const itimerval none{};
  for (const auto which : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) {
    ::setitimer(which, &none, nullptr);
  }
  for (const int timer : timers_now()) {
    if (!timers_.contains(timer)) ::syscall(SYS_timer_delete, timer);
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
