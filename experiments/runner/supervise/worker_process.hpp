// The parent's end of a worker: a child process, its pipes, and waiting for it with a time limit.
#pragma once

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace msda {

/// Catches SIGINT and SIGTERM while it lives, so that a run ends in order.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// Whether a signal has come.
  bool seen();

 private:
  friend class WorkerProcess;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// How a process is ended that does not end by itself.
struct KillPolicy {
  int signal = 9;                              ///< SIGKILL; tests take one that can be ignored
  std::chrono::duration<double> patience{10};  ///< for the process to be gone after the signal
};

class WorkerProcess {
 public:
  enum class Outcome {
    kLine,         ///< a line was read
    kSilent,       ///< nothing within the time-out
    kEnded,        ///< the process closed its end
    kInterrupted,  ///< a signal came for the parent
  };

  /// Starts `program` with `arguments`. Throws EnvironmentError when it cannot.
  WorkerProcess(Interrupts& interrupts, const std::filesystem::path& program,
                const std::vector<std::string>& arguments, KillPolicy policy = {});
  /// Kills the process when it still runs; one that cannot be killed is left behind.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Sends one line. A process that is gone shows in the next read().
  void send(const std::string& line);
  /// After anything but kLine the process is of no more use.
  Outcome read(std::string& line, std::chrono::duration<double> timeout);
  /// Ends its input, so that it ends by itself, and waits. False when it has not within `patience`.
  bool finish(std::chrono::duration<double> patience);
  /// Ends the process, and those that it started with it. False when it is still there after the
  /// policy's patience: it hangs in the kernel, where a driver waits for a device that does not
  /// answer.
  bool kill();
  /// After kill(), or kEnded: "signal SIGABRT (Aborted)" or "exit code 1", with the last words of
  /// its stderr.
  std::string end_reason();
  /// After kEnded: whether somebody else ended it, as the system does that runs out of memory.
  bool ended_from_outside();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace msda
