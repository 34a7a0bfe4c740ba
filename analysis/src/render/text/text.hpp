// Text for people: what a terminal shows of a string, and numbers with units chosen for reading.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/color.h>

#include "statistics/statistics.hpp"
#include "statistics/table.hpp"

namespace msda {

/// What stands in a cell without a value.
inline constexpr const char* kAbsent = "-";

/// Columns that a terminal uses for UTF-8 text: combining marks take none, East Asian wide
/// characters and emoji two (Unicode 15 main blocks). A byte that is no UTF-8 counts as one.
std::size_t display_width(std::string_view text);

std::string pad_left(std::string_view text, std::size_t width);
std::string pad_right(std::string_view text, std::size_t width);

/// Hidden characters other than line ends and tabs show as escapes, so that a name or a compiler's
/// message cannot steer the terminal; trailing white space is dropped.
std::string printable(std::string_view text);

/// The same on one line: line ends and tabs become spaces.
std::string printable_line(std::string_view text);
/// A reason can be a compiler's log.
std::string first_line(const std::string& text);
/// Breaks lines longer than `width` columns between words. Indented lines stay as they are.
std::string wrapped(std::string_view text, std::size_t width);
/// The lines of a text, without their ends.
std::vector<std::string> lines_of(const std::string& text);
/// "1 point", "3 points"
std::string how_many(std::size_t count, const char* noun);
/// "captured-decoder, warm": the problem and the mode of a table of whatever kind.
template <class Of>
std::string place_of(const Of& of) {
  if constexpr (requires { name_of(of.mode); }) {
    return printable_line(of.problem).append(", ").append(name_of(of.mode));
  } else {
    return printable_line(of.problem) + ", " + printable_line(of.mode);
  }
}
/// "63.6 L1": % SOL and the memory that sets it; "-" where it is not known.
std::string speed_of_light_text(const Row& row);
/// An arm's name, with marks where it ran on several devices and where its mechanism did not show.
std::string arm_text(const Row& row);

/// A unit and how many decimals make the smallest number of a column show four digits.
struct Scale {
  double factor = 1;  ///< shown number = value * factor
  std::string unit;
  int decimals = 3;

  std::string number(double value) const;
  std::string text(double value) const;  ///< number and unit
};

/// "ns", "us", "ms" or "s", chosen by the smallest time so that a column has one unit.
Scale time_scale(double smallest_seconds);
/// "GFLOP/s" or "TFLOP/s", chosen by the largest rate.
Scale flops_scale(double largest_per_second);
Scale bytes_scale(double largest_per_second);  ///< always "GB/s"

/// "3.214x"
std::string ratio_text(double ratio);
/// "3.214x [3.150, 3.280]", without the bracket where there is no interval.
std::string ratio_text(double ratio, const std::optional<Interval>& interval);

/// "0.42%", "12%", "170%", "more than 1000%"
std::string percent_text(double share);

/// "95% interval 3.150x to 3.280x, 5 processes", "..., 20 blocks of one process", or that there is
/// none.
std::string how_sure(const std::optional<Interval>& interval, Replication replication,
                     int replicates);

// --- Colours of the terminal

/// The text itself without `colour`.
std::string paint(std::string_view text, const fmt::text_style& style, bool colour);

/// How a verdict, a change or a status looks.
fmt::text_style style_of(std::string_view verdict);

}  // namespace msda
