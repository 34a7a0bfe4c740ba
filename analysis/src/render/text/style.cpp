#include "render/text/style.hpp"

#include <fmt/format.h>

namespace msda {

std::string paint(std::string_view text, const fmt::text_style& style, bool colour) {
  return colour ? fmt::format(style, "{}", text) : std::string(text);
}

fmt::text_style style_of(std::string_view verdict) {
  using fmt::terminal_color;
  if (verdict == "faster" || verdict == "right" || verdict == "better" || verdict == "confirmed")
    return fg(terminal_color::green);
  if (verdict == "slower" || verdict == "worse" || verdict == "smaller" || verdict == "larger" ||
      verdict == "no effect" || verdict == "not met" || verdict == "not reproduced")
    return fg(terminal_color::yellow);
  if (verdict == "skipped" || verdict == "undecided" || verdict == "not testable" ||
      verdict == "not estimable")
    return fg(terminal_color::bright_black);
  if (verdict.empty() || verdict == "baseline" || verdict == "equal") return {};
  // wrong, impossible, crashed, opposite and the like
  return fmt::emphasis::bold | fg(terminal_color::red);
}

}  // namespace msda
