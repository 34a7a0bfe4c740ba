#include "plugin/rehearsal.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "plugin/library.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;
using Files = std::vector<fs::path>;

/// The child: one byte into the pipe for each file that it has opened.
[[noreturn]] void open_all(const Files& files, std::size_t first, int pipe_end) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // What plugins say is said again when they are opened in earnest.
  const int nothing = ::open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, stream);
  for (std::size_t i = first; i < files.size(); ++i) {
    static_cast<void>(open_plugin(files[i]));
    const char done = 0;
    if (::write(pipe_end, &done, 1) != 1) break;
  }
  // Without the destructors of the copied process.
  ::_exit(0);
}

/// Whether there is something to read within `patience`.
bool wait_readable(int descriptor, std::chrono::milliseconds patience) {
  pollfd entry{descriptor, POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&entry, 1, static_cast<int>(patience.count()));
  } while (ready < 0 && errno == EINTR);
  return ready != 0;
}

std::string end_of(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("it ended the process with signal {} ({}) while it was opened",
                       WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("it ended the process with exit code {} while it was opened",
                     WEXITSTATUS(status));
}

/// A child that opens files from `first` on.
class Child {
 public:
  Child(const Files& files, std::size_t first) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    std::fflush(nullptr);  // or both processes would write what is buffered
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ends[0]);
      open_all(files, first, ends[1]);
    }
    ::close(ends[1]);
    descriptor_ = ends[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (descriptor_ >= 0) ::close(descriptor_);
    end();
  }

  bool started() const { return pid_ > 0; }

  /// Waits until one more file is open: "" then, else why it is not.
  std::string next(std::chrono::milliseconds patience) {
    if (!wait_readable(descriptor_, patience)) {
      return fmt::format("it was not open after {} s",
                         std::chrono::duration<double>(patience).count());
    }
    char done = 0;
    if (::read(descriptor_, &done, 1) == 1) return "";
    return end_of(wait());
  }

 private:
  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    wait();
  }

  pid_t pid_ = -1;
  int descriptor_ = -1;
};

}  // namespace

std::vector<std::string> rehearse_opening(const Files& files, std::chrono::milliseconds patience) {
  std::vector<std::string> reasons(files.size());
  for (std::size_t next = 0; next < files.size();) {
    Child child(files, next);
    if (!child.started()) break;
    // After one that goes wrong, another child opens the rest.
    for (bool good = true; good && next < files.size(); ++next) {
      reasons[next] = child.next(patience);
      good = reasons[next].empty();
    }
  }
  return reasons;
}

}  // namespace msda
