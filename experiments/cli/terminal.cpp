#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include <fmt/format.h>

namespace msda {
namespace {

const char* code_of(Colour colour) {
  switch (colour) {
    case Colour::kRed: return "31";
    case Colour::kGreen: return "32";
    case Colour::kYellow: return "33";
    case Colour::kBold: return "1";
  }
  return "0";
}

}  // namespace

bool is_terminal(std::FILE* stream) { return ::isatty(::fileno(stream)) != 0; }

bool wants_colour(std::FILE* stream) {
  const char* no_colour = std::getenv("NO_COLOR");
  return is_terminal(stream) && (no_colour == nullptr || *no_colour == '\0');
}

std::string coloured(std::string_view text, Colour colour, std::FILE* stream) {
  if (!wants_colour(stream)) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code_of(colour), text);
}

std::size_t terminal_width() {
  constexpr std::size_t kWithoutTerminal = 80;
  constexpr std::size_t kLeast = 40;
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? std::max<std::size_t>(size.ws_col, kLeast) : kWithoutTerminal;
}

std::string wrapped(std::string_view text, std::size_t width) {
  std::string result;
  std::size_t begin = 0;  ///< of the line that the next words stand in
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.starts_with(' ') ? std::string() : line);
    if (line.starts_with(' ')) result += line;
    begin = result.size();
    for (std::string word; words >> word;) {
      const bool is_first = result.size() == begin;
      const bool fits = result.size() - begin + 1 + word.size() <= width;
      if (!is_first) result += fits ? ' ' : '\n';
      if (!is_first && !fits) begin = result.size();
      result += word;
    }
    result += '\n';
  }
  if (!text.ends_with('\n') && !result.empty()) result.pop_back();
  return result;
}

}  // namespace msda
