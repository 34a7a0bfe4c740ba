// The characters of a text from outside, and how those show that a reader would not see.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace msda {

/// A code point at the beginning of a text; of bytes that are not UTF-8 one, as U+FFFD.
struct Character {
  char32_t point = 0xFFFD;
  std::size_t bytes = 1;
  bool valid = false;
};

/// Of a text that is not empty.
Character first_character(std::string_view text);

/// C0 and C1 control characters and DEL.
bool is_control(char32_t point);

/// Characters that have no picture, or order those around them anew: control characters, those for
/// bidirectional text, line separators, zero-width spaces, tags.
bool is_hidden(char32_t point);

/// "\x1b", "\u202e", "\U000e0041"
std::string escape_of(char32_t point);

/// Which white space stays as it is.
enum class Space { kOneLine, kLinesAndTabs };

/// The text with an escape for each hidden character and for each byte that is not UTF-8: what
/// somebody wrote must not steer the terminal, hide, or show in another order than it is read in.
/// Everything from outside passes here on its way to a reader.
std::string visible(std::string_view text, Space space = Space::kOneLine);

/// Whether visible() would change a character of the text.
bool has_hidden(std::string_view text);

}  // namespace msda
