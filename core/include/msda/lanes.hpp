// What variants share on the host about rows: the parameters of a lane's vector and of planes of
// heads, and why one cannot be.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <msda/parameter.hpp>
#include <msda/problem.hpp>

namespace msda {

/// Why `width` channels per lane do not divide the problem's channels; nullopt when they do, or for
/// width 0 (as many as 16 bytes hold).
inline std::optional<std::string> width_refusal(const Problem& problem, std::int64_t width) {
  if (width == 0 || problem.channels % width == 0) return std::nullopt;
  return std::to_string(problem.channels) + " channels are not a multiple of width " +
         std::to_string(width);
}

/// Why a row's lanes, each of `width` channels, do not fit a block of `threads` threads. With width
/// 0 and an odd number of channels a lane holds one channel.
inline std::optional<std::string> row_refusal(const Problem& problem, std::int64_t width,
                                              std::int64_t threads) {
  if (auto reason = width_refusal(problem, width)) return reason;
  const std::int64_t lanes = problem.channels / (width == 0 ? 1 : width);
  if (lanes <= threads) return std::nullopt;
  return "a row may need " + std::to_string(lanes) + " lanes; a block has " +
         std::to_string(threads);
}

/// Why the queries of an image cannot be visited in an order that is computed in 32 bits.
inline std::optional<std::string> order_refusal(const Problem& problem) {
  if (problem.queries <= std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return "it counts the queries of an image in 31 bits";
}

/// Parameter "padding" of levels in shared memory.
inline ParameterSpec padding_parameter() {
  return ParameterSpec::integer("padding", "elements added to each pixel's row of channels", 0, 0,
                                32);
}

/// Parameter "heads" of planes in shared memory.
inline ParameterSpec kept_heads_parameter() {
  return ParameterSpec::one_of<std::int64_t>(
      "heads", "neighbouring heads whose rows a block keeps together", 1, {1, 2, 4, 8});
}

/// Why a block cannot keep planes of `heads` neighbouring heads.
inline std::optional<std::string> plane_refusal(const Problem& problem, std::int64_t heads) {
  if (heads <= problem.heads) return std::nullopt;
  return "planes of " + std::to_string(heads) + " heads; the problem has " +
         std::to_string(problem.heads);
}

}  // namespace msda
