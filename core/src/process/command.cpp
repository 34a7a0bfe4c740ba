#include "process/command.hpp"

#include <unistd.h>

#include <cerrno>

#include "process/child.hpp"

namespace msda {
namespace {

std::string read_all(int descriptor) {
  std::string text;
  char part[4096];
  for (;;) {
    const ssize_t count = ::read(descriptor, part, sizeof part);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(part, static_cast<std::size_t>(count));
  }
}

}  // namespace

CommandResult execute_command(const std::vector<std::string>& arguments) {
  Pipe output;
  Child child(arguments, {.output = output.write_end(), .errors = output.write_end()});
  output.close_write_end();
  CommandResult result;
  result.output = read_all(output.read_end());
  child.wait();
  result.exit_code = child.exit_code();
  return result;
}

}  // namespace msda
