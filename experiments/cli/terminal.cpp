#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

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

}  // namespace msda
