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
                const std::vector<std::string>& arguments);
  /// Kills the process when it still runs.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Sends one line. A process that is gone shows in the next read().
  void send(const std::string& line);
  /// After anything but kLine the process is of no more use.
  Outcome read(std::string& line, std::chrono::duration<double> timeout);
  /// SIGKILL, and waits for the end.
  void kill();
  /// Waits for the end; "signal SIGABRT (Aborted)" or "exit code 1", with the last words of its
  /// stderr.
  std::string end_reason();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace msda
