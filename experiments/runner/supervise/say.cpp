#include "runner/supervise/say.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace msda {

void say_text(std::FILE* stream, std::string_view text) {
  // What is lost is lost: there is nobody to tell.
  if (std::fwrite(text.data(), 1, text.size(), stream) == text.size()) std::fflush(stream);
}

void survive_closed_pipes() { std::signal(SIGPIPE, SIG_IGN); }

void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest number that is free is this one: those before it are open by now.
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF) ::open("/dev/null", O_RDWR);
  }
}

}  // namespace msda
