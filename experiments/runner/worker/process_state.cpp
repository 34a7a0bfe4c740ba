#include "runner/worker/process_state.hpp"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

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

/// By name, as /proc/self/status has them, and the most that limits may be raised to.
std::map<std::string, std::string> lasting_state_now() {
  constexpr std::string_view kNames[] = {"Uid",
                                         "Gid",
                                         "CapPrm",
                                         "CapEff",
                                         "CapBnd",
                                         "Groups",
                                         "CapAmb",
                                         "CapInh",
                                         "NoNewPrivs",
                                         "Seccomp",
                                         "Speculation_Store_Bypass",
                                         "Seccomp_filters",
                                         "SpeculationIndirectBranch",
                                         "THP_enabled"};
  std::map<std::string, std::string> state;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::string name = line.substr(0, colon);
    if (std::ranges::find(kNames, name) == std::end(kNames)) continue;
    const std::size_t first = std::min(line.find_first_not_of(" \t", colon + 1), line.size());
    state[name] = line.substr(first);
  }
  for (int i = 0; i < RLIM_NLIMITS; ++i) {
    rlimit limit{};
    if (::getrlimit(static_cast<__rlimit_resource>(i), &limit) != 0) continue;
    state[fmt::format("the limit of resource {}", i)] = std::to_string(limit.rlim_max);
  }
  return state;
}

}  // namespace

LastingState::LastingState() : state_(lasting_state_now()) {}

std::string LastingState::change() const {
  for (const auto& [name, value] : lasting_state_now()) {
    const auto known = state_.find(name);
    if (known == state_.end() || known->second == value) continue;
    return fmt::format("{} of its process from {} to {}", name, known->second, value);
  }
  return "";
}

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
