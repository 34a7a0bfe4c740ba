#include "characters.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

namespace msda {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Beside control characters; joiners stay, which scripts and emoji need.
constexpr std::array<Range, 10> kHidden{{{0x061C, 0x061C},
                                         {0x180E, 0x180E},
                                         {0x200B, 0x200B},
                                         {0x200E, 0x200F},
                                         {0x2028, 0x202E},
                                         {0x2060, 0x206F},
                                         {0xFEFF, 0xFEFF},
                                         {0xFFF9, 0xFFFB},
                                         {0xFFFE, 0xFFFF},
                                         {0xE0000, 0xE007F}}};

/// The smallest code point that so many bytes may stand for, by their number.
constexpr std::array<char32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};

std::size_t length_from(unsigned char lead) {
  if (lead < 0x80) return 1;
  if ((lead & 0xE0U) == 0xC0U) return 2;
  if ((lead & 0xF0U) == 0xE0U) return 3;
  return (lead & 0xF8U) == 0xF0U ? 4 : 0;
}

}  // namespace

Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = length_from(lead);
  if (bytes == 0 || text.size() < bytes) return {};
  char32_t point = bytes == 1 ? lead : lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0U) != 0x80U) return {};
    point = (point << 6U) | (next & 0x3FU);
  }
  const bool surrogate = point >= 0xD800 && point < 0xE000;
  if (point < kSmallest[bytes] || surrogate || point > 0x10FFFF) return {};
  return {point, bytes, true};
}

bool is_control(char32_t point) { return point < 0x20 || (point >= 0x7F && point < 0xA0); }

bool is_hidden(char32_t point) {
  return is_control(point) || std::any_of(kHidden.begin(), kHidden.end(), [point](Range range) {
           return point >= range.first && point <= range.last;
         });
}

std::string escape_of(char32_t point) {
  const auto number = static_cast<std::uint32_t>(point);
  if (number < 0x100) return fmt::format("\\x{:02x}", number);
  return number < 0x10000 ? fmt::format("\\u{:04x}", number) : fmt::format("\\U{:08x}", number);
}

std::string visible(std::string_view text, Space space) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character next = first_character(text);
    const bool stays =
        space == Space::kLinesAndTabs && (next.point == U'\n' || next.point == U'\t');
    if (!next.valid) {
      result += escape_of(static_cast<unsigned char>(text[0]));
    } else if (is_hidden(next.point) && !stays) {
      result += escape_of(next.point);
    } else {
      result += text.substr(0, next.bytes);
    }
    text.remove_prefix(next.bytes);
  }
  return result;
}

bool has_hidden(std::string_view text) {
  for (; !text.empty(); text.remove_prefix(first_character(text).bytes)) {
    const Character next = first_character(text);
    if (!next.valid || is_hidden(next.point)) return true;
  }
  return false;
}

}  // namespace msda
