// What the points of an input at hand need of `value`, where a problem's sizes alone say too much:
// points may lie outside, weights may be zero, and many points may read one pixel.
#pragma once

#include <cstdint>

#include <msda/operator.hpp>

#include "files/bytes.hpp"

namespace msda {

/// Pixels of one head, which are C elements each.
struct CornerCount {
  std::int64_t touched = 0;   ///< each counts once
  std::int64_t gathered = 0;  ///< each counts for every query but one that follows on a query which
                              ///< reads it too: neighbours may share what they read
};

/// Of points as `forward` has them: [B, Q, H, L, P, 2] and [B, Q, H, L, P]. Corners without a share
/// in the output do not count; all that lie inside do where `weights` is null. `padding`: flags
/// [B, S] of pixels that count as zero, or null.
CornerCount count_corners(const Problem& problem, const Bytes& locations, const Bytes* weights,
                          const Bytes* padding = nullptr);

/// Adds the elements of `value` that the pixels are to what is read, and sets those gathered.
void take_corners(const CornerCount& count, const Problem& problem, Traffic& traffic);

}  // namespace msda
