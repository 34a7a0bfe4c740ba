// Between timed launches no handler of a signal runs in the thread that launches: neither one that
// does late what the launch left out, nor one that does beforehand what the next one has to do.
#pragma once

#include <pthread.h>
#include <time.h>

#include <csignal>
#include <map>

namespace msda {

/// Holds all signals of this thread back until it goes, but for the launches. A fault meanwhile, of
/// who reads an output whose pages were closed, ends the process, as the kernel does where the
/// fault's signal is held.
class HeldSignals {
 public:
  HeldSignals() {
    sigfillset(&all_);
    pthread_sigmask(SIG_SETMASK, &all_, &own_);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  /// What waited comes now, each signal once.
  ~HeldSignals() {
    for (const auto& [number, signal] : waiting_) {
      pthread_sigqueue(pthread_self(), number, signal.si_value);
    }
    release();
  }

  /// Keeps what waits from coming before the next launch, in no time of anybody.
  void keep_waiting() {
    constexpr timespec kNoTime{};
    siginfo_t signal;
    while (sigtimedwait(&all_, &signal, &kNoTime) > 0) waiting_.emplace(signal.si_signo, signal);
  }
  void release() const { pthread_sigmask(SIG_SETMASK, &own_, nullptr); }
  void hold() const { pthread_sigmask(SIG_SETMASK, &all_, nullptr); }

 private:
  sigset_t all_{};
  sigset_t own_{};
  std::map<int, siginfo_t> waiting_;
};

}  // namespace msda
