// The truth that every variant is compared with: float64 on the stored (already rounded) tensors.
#pragma once

#include <cstdint>
#include <vector>

#include "input/input.hpp"

namespace msda {

/// [B, Q, H, C] in float64. Each value is converted exactly to double, coordinates and weights too;
/// a NaN or infinite location contributes nothing. threads = 0 uses all hardware threads; the
/// result does not depend on it.
std::vector<double> compute_reference(const Input& input, unsigned threads = 0);

/// The same from the cache (cache_directory()/reference/<content hash>.f64) when it is there and
/// whole; computed and stored (temporary file, then rename) otherwise. A damaged entry is
/// recomputed. One that would be very large is always computed, which is faster.
std::vector<double> cached_reference(const Input& input, unsigned threads = 0);

/// What Computes::kCopy writes, [B, Q, H, C].
std::vector<double> copy_reference(const Input& input);

/// How an output compares with the reference.
struct Comparison {
  double relative_l2 = 0;        ///< ||out - ref|| / ||ref||; NaN when an element is not finite
  double maximum_absolute = 0;   ///< over the finite elements
  std::int64_t not_written = 0;  ///< elements that still hold the poison (a NaN pattern)
  std::int64_t worst_index = 0;  ///< flat index of the largest absolute difference
};

/// `output` is [B, Q, H, C] in problem.types.output. Poison is all bytes 0xFF, which is a NaN in
/// every type; any NaN where the reference is finite counts as not written.
Comparison compare(const Problem& problem, const Bytes& output,
                   const std::vector<double>& reference, unsigned threads = 0);

/// Relative L2 error that is right for the problem's storage types with fp32 arithmetic: fp32 1e-5,
/// fp16 1e-3, bf16 8e-3 (the coarsest of value, weight and output decides).
double default_tolerance(const Problem& problem);

}  // namespace msda
