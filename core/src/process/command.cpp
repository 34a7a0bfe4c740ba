#include "process/command.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>

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

std::optional<std::filesystem::path> find_in_path(std::string_view name) {
  const char* folders = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nothing sets it
  std::string_view rest = folders == nullptr ? "" : folders;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::filesystem::path file = std::filesystem::path(rest.substr(0, end)) / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0) {
      return file;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::nullopt;
}

}  // namespace msda
