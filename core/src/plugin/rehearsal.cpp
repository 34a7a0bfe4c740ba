#include "plugin/rehearsal.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <optional>

#include <fmt/format.h>

#include "files/open_file.hpp"
#include "plugin/library.hpp"
#include "process/child.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;
using Files = std::vector<fs::path>;

/// In the child: one byte into the pipe for each file that it has opened.
void open_all(const Files& files, std::size_t first, int pipe_end) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (std::size_t i = first; i < files.size(); ++i) {
    static_cast<void>(open_plugin(files[i]));
    const char done = 0;
    if (::write(pipe_end, &done, 1) != 1) break;
  }
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

/// A child that opens files from `first` on.
class Opener {
 public:
  Opener(const Files& files, std::size_t first)
      : nothing_("/dev/null", O_RDWR),
        child_([&] { open_all(files, first, pipe_.write_end()); },
               // What plugins say is said again when they are opened in earnest.
               {.output = nothing_.descriptor(), .errors = nothing_.descriptor()}) {
    pipe_.close_write_end();
  }

  /// Waits until one more file is open: "" then, else why it is not.
  std::string next(std::chrono::milliseconds patience) {
    if (!wait_readable(pipe_.read_end(), patience)) {
      return fmt::format("it was not open after {} s",
                         std::chrono::duration<double>(patience).count());
    }
    char done = 0;
    if (::read(pipe_.read_end(), &done, 1) == 1) return "";
    child_.wait();
    return fmt::format("it ended the process with {} while it was opened", child_.end());
  }

 private:
  Pipe pipe_;
  OpenFile nothing_;
  Child child_;
};

}  // namespace

std::vector<std::string> rehearse_opening(const Files& files, std::chrono::milliseconds patience) {
  std::vector<std::string> reasons(files.size());
  for (std::size_t next = 0; next < files.size();) {
    std::optional<Opener> opener;
    try {
      opener.emplace(files, next);
    } catch (const EnvironmentError&) {
      break;  // no process to spare
    }
    // After one that goes wrong, another child opens the rest.
    for (bool good = true; good && next < files.size(); ++next) {
      reasons[next] = opener->next(patience);
      good = reasons[next].empty();
    }
  }
  return reasons;
}

}  // namespace msda
