// Colours of the terminal.
#pragma once

#include <string>
#include <string_view>

#include <fmt/color.h>

namespace msda {

/// The text itself without `colour`.
std::string paint(std::string_view text, const fmt::text_style& style, bool colour);

/// How a verdict, a change or a status looks.
fmt::text_style style_of(std::string_view verdict);

}  // namespace msda
