#include "runner/supervise/say.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>

namespace msda {
namespace {

std::atomic<int> lost_output{0};

/// Whether whoever read the stream has gone, as a closed pipe and a closed terminal say.
bool is_closed(std::FILE* stream, int error) {
  struct stat status {};
  return error == EPIPE ||
         (error == EIO && ::fstat(::fileno(stream), &status) == 0 && S_ISCHR(status.st_mode));
}

}  // namespace

void say_text(std::FILE* stream, std::string_view text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0;
  if (written || stream != stdout) return;  // of the standard error there is nobody to tell
  int none = 0;
  if (const int error = errno; !is_closed(stream, error)) {
    lost_output.compare_exchange_strong(none, error);
  }
}

int lost_output_error() { return lost_output; }

void survive_closed_pipes() { std::signal(SIGPIPE, SIG_IGN); }

void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest number that is free is this one: those before it are open by now.
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF) ::open("/dev/null", O_RDWR);
  }
}

}  // namespace msda
