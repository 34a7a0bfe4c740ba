#include "render/text/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>

#include <fmt/format.h>

#include "characters.hpp"

namespace msda {
namespace {

// First and last code points of blocks of nonspacing marks and format characters.
constexpr char32_t kZeroWidth[][2] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},
                                      {0x064B, 0x065F}, {0x1AB0, 0x1AFF}, {0x200B, 0x200F},
                                      {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};

// Of blocks whose characters are East Asian Wide or Fullwidth (Unicode Standard Annex 11).
constexpr char32_t kDoubleWidth[][2] = {{0x1100, 0x115F}, {0x2E80, 0x303E},   {0x3041, 0xA4CF},
                                        {0xAC00, 0xD7A3}, {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
                                        {0xFF00, 0xFF60}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};

template <std::size_t N>
bool contains(const char32_t (&ranges)[N][2], char32_t point) {
  return std::ranges::any_of(
      ranges, [point](const auto& range) { return point >= range[0] && point <= range[1]; });
}

/// Decimals that give `value` four significant digits, three at most.
int decimals_for(double value) {
  if (value <= 0 || !std::isfinite(value)) return 3;
  return std::clamp(3 - static_cast<int>(std::floor(std::log10(value))), 0, 3);
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character next = first_character(text);
    text.remove_prefix(next.bytes);
    if (contains(kZeroWidth, next.point)) continue;
    width += contains(kDoubleWidth, next.point) ? 2 : 1;
  }
  return width;
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(width > used ? width - used : 0, ' ').append(text);
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(text).append(width > used ? width - used : 0, ' ');
}

std::string printable(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  std::string lines(text);
  std::erase(lines, '\r');
  return visible(lines, Space::kLinesAndTabs);
}

std::string printable_line(std::string_view text) {
  std::string line = printable(text);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return line;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

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

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string how_many(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string speed_of_light_text(const Row& row) {
  return row.speed_of_light
             ? fmt::format("{:.1f} {}", *row.speed_of_light * 100, name_of(*row.bound))
             : kAbsent;
}

std::string arm_text(const Row& row) {
  std::string text = printable_line(row.record.arm);
  if (row.record.devices) text += fmt::format(" (on {} devices)", *row.record.devices);
  return text + (row.is_vacuous() ? " (no effect)" : "");
}

std::string Scale::number(double value) const {
  return fmt::format("{:.{}f}", value * factor, decimals);
}

std::string Scale::text(double value) const { return fmt::format("{} {}", number(value), unit); }

Scale time_scale(double smallest_seconds) {
  Scale scale;
  if (smallest_seconds >= 1) {
    scale = {1, "s", 0};
  } else if (smallest_seconds >= 1e-3) {
    scale = {1e3, "ms", 0};
  } else if (smallest_seconds >= 1e-6) {
    scale = {1e6, "us", 0};
  } else {
    scale = {1e9, "ns", 0};
  }
  scale.decimals = decimals_for(smallest_seconds * scale.factor);
  return scale;
}

Scale flops_scale(double largest_per_second) {
  constexpr double kTera = 1e12;
  return largest_per_second >= kTera ? Scale{1e-12, "TFLOP/s", 3} : Scale{1e-9, "GFLOP/s", 1};
}

Scale bytes_scale(double largest_per_second) {
  constexpr double kGiga = 1e-9;
  const int decimals = std::min(2, decimals_for(largest_per_second * kGiga));
  return {kGiga, "GB/s", decimals};
}

std::string ratio_text(double ratio) {
  if (ratio < 10) return fmt::format("{:.3f}x", ratio);
  return fmt::format("{:.{}f}x", ratio, ratio < 100 ? 2 : 1);
}

std::string ratio_text(double ratio, const std::optional<Interval>& interval) {
  if (!interval) return ratio_text(ratio);
  const auto bound = [](double value) {
    std::string text = ratio_text(value);
    text.pop_back();  // the "x" stands once, after the estimate
    return text;
  };
  return fmt::format("{} [{}, {}]", ratio_text(ratio), bound(interval->low), bound(interval->high));
}

std::string percent_text(double share) {
  constexpr double kWhole = 0.1;
  // With two or three processes a spread may say next to nothing, in many digits.
  constexpr double kMost = 10;
  if (share > kMost) return fmt::format("more than {:.0f}%", 100 * kMost);
  return share < kWhole ? fmt::format("{:.2g}%", 100 * share) : fmt::format("{:.0f}%", 100 * share);
}

std::string how_sure(const std::optional<Interval>& interval, Replication replication,
                     int replicates) {
  if (!interval) return "one block, so no interval";
  const bool of_processes = replication == Replication::kProcesses;
  return fmt::format("{}interval {} to {}, {} {}", of_processes ? "95% " : "",
                     ratio_text(interval->low), ratio_text(interval->high), replicates,
                     of_processes ? "processes" : "blocks of one process");
}

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
