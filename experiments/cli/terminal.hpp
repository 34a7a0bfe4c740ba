// Colour, where there is a terminal that wants it.
#pragma once

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

}  // namespace msda
