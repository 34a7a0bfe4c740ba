// What a terminal can show: colour, where it wants that, and lines of its width.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace msda {

enum class Colour { kRed, kGreen, kYellow, kBold };

bool is_terminal(std::FILE* stream);
/// True on a terminal when NO_COLOR is unset or empty (https://no-color.org).
bool wants_colour(std::FILE* stream);
/// The text, in colour when `stream` wants it.
std::string coloured(std::string_view text, Colour colour, std::FILE* stream);

/// Columns of the terminal that the standard output is, at least 40; 80 where it is none.
std::size_t terminal_width();

}  // namespace msda
