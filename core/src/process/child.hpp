// Child processes: the one way the program starts, watches and ends them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace msda {

/// The two ends of a pipe, closed with the object and in every program that is started.
class Pipe {
 public:
  /// Throws EnvironmentError.
  Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe();
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_read_end() { close_end(0); }
  void close_write_end() { close_end(1); }
  /// Hands the descriptor over to the caller, who closes it.
  int release_read_end();

 private:
  void close_end(int end);
  int ends_[2] = {-1, -1};
};

/// What a child is started with.
struct ChildSettings {
  // Descriptors that become its standard streams; absent: nothing to read, and the parent's own.
  std::optional<int> input{};
  std::optional<int> output{};
  std::optional<int> errors{};
  /// Whether it leads a process group of its own, which signals reach as a whole: also what the
  /// child has started, and not by a key that the user presses. What has left the group for a
  /// session of its own ends with the child too.
  bool own_group = false;
};

/// A process that this one has started. The object's end is the child's: it is killed when it still
/// runs.
class Child {
 public:
  /// Starts `arguments[0]`, looked up in PATH. Callable from several threads at a time. Throws
  /// EnvironmentError that names the program.
  Child(const std::vector<std::string>& arguments, const ChildSettings& settings);
  /// Does `work` in a copy of this process, which then ends without running destructors; only what
  /// works after fork() in a program with threads may be in it. Throws EnvironmentError.
  Child(const std::function<void()>& work, const ChildSettings& settings);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  pid_t id() const { return id_; }
  /// Whether it has ended; what it started in a group of its own has then ended too.
  bool has_ended();
  /// Whether a signal has stopped it, as Ctrl-Z and debuggers do, and it waits to be continued.
  bool is_stopped() const;
  /// Waits until it has ended.
  void wait();
  /// The same for at most `patience`; whether it has.
  bool wait(std::chrono::duration<double> patience);
  /// To the child, or its group.
  void signal(int number) const;
  /// Leaves it behind: nobody waits for it any more.
  void detach();

  // Of one that has ended:
  /// As waitpid() tells it.
  int status() const { return status_; }
  /// Its exit code, or 128 and the signal's number, as a shell says it.
  int exit_code() const;
  /// "signal SIGABRT (Aborted)" or "exit code 1".
  std::string end() const;

 private:
  pid_t id_ = -1;
  bool own_group_;
  bool ended_ = false;
  int status_ = 0;
};

}  // namespace msda
