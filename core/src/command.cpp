#include "command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <msda/error.hpp>

extern char** environ;

namespace msda {
namespace {

/// The reading and the writing end of a pipe, closed with the object.
struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw EnvironmentError(fmt::format("no pipe: {}", std::strerror(errno)));
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  void close_end(int end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
};

/// What the program is started with: no input, and both outputs to `output`.
struct FileActions {
  posix_spawn_file_actions_t actions{};
  explicit FileActions(int output) {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { posix_spawn_file_actions_destroy(&actions); }
};

std::string read_all(int descriptor) {
  std::string text;
  char part[4096];
  for (;;) {
    const ssize_t count = read(descriptor, part, sizeof part);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(part, static_cast<std::size_t>(count));
  }
}

}  // namespace

CommandResult execute_command(const std::vector<std::string>& arguments) {
  std::vector<char*> pointers;
  for (const std::string& argument : arguments)
    pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  Pipe output;
  const FileActions files(output.ends[1]);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, pointers[0], &files.actions, nullptr, pointers.data(), environ);
  if (error != 0) {
    throw EnvironmentError(fmt::format("cannot run {}: {}", arguments[0], std::strerror(error)));
  }
  output.close_end(1);
  CommandResult result;
  result.output = read_all(output.ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace msda
