#include "process/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#include <msda/error.hpp>

namespace msda {
namespace {

/// What is done between fork() and exec(), freed with the object.
class SpawnSettings {
 public:
  explicit SpawnSettings(const ChildSettings& settings) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    if (settings.input) {
      posix_spawn_file_actions_adddup2(&actions_, *settings.input, STDIN_FILENO);
    } else {
      posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    }
    const auto lead = [&](const std::optional<int>& from, int to) {
      if (from) posix_spawn_file_actions_adddup2(&actions_, *from, to);
    };
    lead(settings.output, STDOUT_FILENO);
    lead(settings.errors, STDERR_FILENO);
    if (settings.own_group) posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

/// The same by hand, in a copy of this process.
void take_over(const ChildSettings& settings) {
  const int nothing = settings.input ? *settings.input : ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  if (settings.output) ::dup2(*settings.output, STDOUT_FILENO);
  if (settings.errors) ::dup2(*settings.errors, STDERR_FILENO);
  if (settings.own_group) ::setpgid(0, 0);
}

/// The children that this process has started itself, and a lock that is held while one is.
struct Started {
  std::mutex mutex;
  std::set<pid_t> ids;
};

Started& started() {
  static Started own;
  return own;
}

/// The parent and the group of a process.
struct Family {
  pid_t parent = 0;
  pid_t group = 0;
};

std::optional<Family> family_of(const std::string& id) {
  std::ifstream file(fmt::format("/proc/{}/stat", id));
  std::string line;
  std::getline(file, line);
  // The state stands behind the name, which may hold anything.
  const std::size_t name_end = line.rfind(") ");
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(name_end + 2));
  std::string state;
  Family family;
  fields >> state >> family.parent >> family.group;
  return family;
}

/// Processes that came to this one because their parents ended. A child that system() or a library
/// started is in the group of this process, and none of them.
std::vector<pid_t> adopted() {
  std::vector<pid_t> ids;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::optional<Family> family = family_of(name);
    if (!family || family->parent != ::getpid() || family->group == ::getpgrp()) continue;
    const auto id = static_cast<pid_t>(std::stol(name));
    if (!started().ids.contains(id)) ids.push_back(id);
  }
  return ids;
}

/// Ends what has come to this process: in a group of its own no signal to the group of its parent
/// reached it. Until there is none, because each may leave others; a process that hangs in a driver
/// is left alone after a while.
void end_adopted() {
  constexpr std::chrono::seconds kPatience{2};
  constexpr std::chrono::milliseconds kStep{1};
  const std::lock_guard lock(started().mutex);
  const auto start = std::chrono::steady_clock::now();
  for (std::vector<pid_t> ids = adopted(); !ids.empty(); ids = adopted()) {
    for (const pid_t id : ids) {
      ::kill(id, SIGKILL);
      ::waitpid(id, nullptr, WNOHANG);
    }
    if (std::chrono::steady_clock::now() - start > kPatience) return;
    std::this_thread::sleep_for(kStep);
  }
}

}  // namespace

Pipe::Pipe() {
  if (::pipe2(ends_, O_CLOEXEC) != 0)
    throw EnvironmentError(fmt::format("no pipe: {}", std::strerror(errno)));
}

Pipe::~Pipe() {
  close_end(0);
  close_end(1);
}

int Pipe::release_read_end() { return std::exchange(ends_[0], -1); }

void Pipe::close_end(int end) {
  if (ends_[end] >= 0) ::close(ends_[end]);
  ends_[end] = -1;
}

Child::Child(const std::vector<std::string>& arguments, const ChildSettings& settings)
    : own_group_(settings.own_group) {
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments)
    pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  const SpawnSettings spawn(settings);
  if (own_group_) ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const std::lock_guard lock(started().mutex);
  const int error = posix_spawnp(&id_, pointers[0], spawn.actions(), spawn.attributes(),
                                 pointers.data(), environ);
  if (error == 0) {
    started().ids.insert(id_);
    return;
  }
  throw EnvironmentError(fmt::format("cannot run {}: {}", arguments[0], std::strerror(error)));
}

Child::Child(const std::function<void()>& work, const ChildSettings& settings)
    : own_group_(settings.own_group) {
  std::fflush(nullptr);  // or both processes would write what is buffered
  {
    const std::lock_guard lock(started().mutex);
    id_ = ::fork();
    if (id_ > 0) started().ids.insert(id_);
  }
  if (id_ < 0) throw EnvironmentError(fmt::format("no process: {}", std::strerror(errno)));
  if (id_ > 0) return;
  take_over(settings);
  work();
  ::_exit(0);
}

Child::~Child() {
  if (id_ <= 0 || has_ended()) return;
  signal(SIGKILL);
  wait();
}

bool Child::has_ended() {
  if (ended_ || id_ <= 0) return true;
  siginfo_t info{};
  const int result = ::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT);
  if (result == 0 && info.si_pid == 0) return false;
  wait();
  return true;
}

bool Child::is_stopped() const {
  if (ended_ || id_ <= 0) return false;
  std::ifstream file(fmt::format("/proc/{}/stat", id_));
  std::string line;
  std::getline(file, line);
  // The state stands behind the name, which may hold anything; 't' is a debugger's.
  const std::size_t name_end = line.rfind(") ");
  return name_end != std::string::npos && std::tolower(line[name_end + 2]) == 't';
}

void Child::wait() {
  if (ended_ || id_ <= 0) return;
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  // While the process is not reaped, no other group can have its number.
  if (own_group_) ::kill(-id_, SIGKILL);
  while (::waitpid(id_, &status_, 0) < 0 && errno == EINTR) {
  }
  ended_ = true;
  {
    const std::lock_guard lock(started().mutex);
    started().ids.erase(id_);
  }
  if (own_group_) end_adopted();
}

bool Child::wait(std::chrono::duration<double> patience) {
  constexpr std::chrono::milliseconds kStep{1};
  const auto start = std::chrono::steady_clock::now();
  // SIGCHLD belongs to the whole process, and threads with children of their own would take it from
  // each other; asking again and again does not.
  while (!has_ended()) {
    if (std::chrono::steady_clock::now() - start > patience) return false;
    std::this_thread::sleep_for(kStep);
  }
  return true;
}

void Child::signal(int number) const {
  if (id_ <= 0 || ended_) return;
  // A group of a child that has just been copied may not be there yet.
  if (!own_group_ || ::kill(-id_, number) != 0) ::kill(id_, number);
}

void Child::detach() { id_ = -1; }

int Child::exit_code() const {
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
}

std::string Child::end() const {
  if (!WIFSIGNALED(status_)) return fmt::format("exit code {}", WEXITSTATUS(status_));
  const int number = WTERMSIG(status_);
  const char* name = ::sigabbrev_np(number);
  return fmt::format("signal SIG{} ({})", name == nullptr ? std::to_string(number) : name,
                     ::strsignal(number));
}

}  // namespace msda
