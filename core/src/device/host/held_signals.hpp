// Between timed launches no handler of a signal runs in the thread that launches: neither one that
// does late what the launch left out, nor one that does beforehand what the next one has to do.
#pragma once

#include <csignal>

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
  ~HeldSignals() { release(); }

  /// What waits comes now: inside of the interval that a ClockCheck looks at, before a launch.
  void release() const { pthread_sigmask(SIG_SETMASK, &own_, nullptr); }
  void hold() const { pthread_sigmask(SIG_SETMASK, &all_, nullptr); }

 private:
  sigset_t all_{};
  sigset_t own_{};
};

}  // namespace msda
