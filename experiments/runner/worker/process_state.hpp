// What all arms of a worker share without knowing: an arm that changes how numbers are rounded, or
// where relative paths begin, must not change it for the others.
#pragma once

#include <fenv.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace msda {

/// The state of this thread and process when the object is made, which it puts back when it goes:
/// rounding and flush-to-zero of this thread, the processors that it may run on and its priority,
/// limits, locale, environment, working directory, umask, the mask of blocked signals, what is done
/// about each signal, and no timer but those that were there.
class ProcessState {
 public:
  ProcessState();
  ProcessState(const ProcessState&) = delete;
  ProcessState& operator=(const ProcessState&) = delete;
  ~ProcessState();

 private:
  void put_back_limits() const;
  void put_back_environment() const;
  void end_timers() const;

  static constexpr int kSignals = 32;  ///< those that have names
  static constexpr int kLimits = 16;   ///< of resources

  fenv_t arithmetic_{};
  cpu_set_t processors_{};
  std::string locale_;
  std::vector<std::string> environment_;
  std::filesystem::path directory_;
  mode_t umask_ = 0;
  sigset_t blocked_{};
  std::array<struct sigaction, kSignals> actions_{};
  std::array<rlimit, kLimits> limits_{};
  int priority_ = 0;
  int policy_ = 0;
  sched_param scheduled_{};
  std::set<int> timers_;  ///< of POSIX
};

/// What a process may give away and never have again: its user and rights, system calls, large
/// pages, the speed of its processor's guesses, and limits. An arm that does so does so for all.
class LastingState {
 public:
  LastingState();
  /// "Seccomp from 0 to 2": the first thing that has changed since; "" where nothing has.
  std::string change() const;

 private:
  std::map<std::string, std::string> state_;
};

/// File descriptors that are open now. Libraries and drivers keep some for good reasons, so that
/// those of an arm are counted and not closed.
std::size_t open_descriptors();
/// As many as the system allows: what one arm leaves open must not be missing for the next.
void raise_descriptor_limit();

}  // namespace msda
