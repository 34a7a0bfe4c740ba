#include "files/line_file.hpp"

#include <fcntl.h>

#include "files/open_file.hpp"
#include "files/read.hpp"
#include "files/write.hpp"

namespace msda {
namespace {

/// Bytes up to and including the last line end: what an interrupted writer left whole.
std::size_t whole_lines(std::string_view text) {
  const std::size_t end = text.rfind('\n');
  return end == std::string_view::npos ? 0 : end + 1;
}

}  // namespace

void open_lines(const std::filesystem::path& file) {
  require_file_place(file);
  const OpenFile open(file, O_RDWR | O_CREAT);
  const std::string text = read_text(file);
  const std::size_t whole = whole_lines(text);
  if (whole != text.size()) open.truncate(static_cast<std::int64_t>(whole));
}

void append_line(const std::filesystem::path& file, std::string_view line) {
  const OpenFile open(file, O_WRONLY | O_APPEND);
  open.write(bytes_of(std::string(line) + "\n"));
  open.sync();
}

std::vector<std::string> read_lines(const std::filesystem::path& file) {
  const std::string text = read_text(file);
  std::string_view rest = std::string_view(text).substr(0, whole_lines(text));
  std::vector<std::string> lines;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace msda
