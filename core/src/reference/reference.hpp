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

/// The relative L2 error that users of the problem's types put up with: fp32 1e-5, fp16 1e-3, bf16
/// 8e-3 (the coarsest of value, weight and output decides). For choosing among arms that are right;
/// who is right is another question (bounds.hpp).
double acceptable_error(const Problem& problem);

}  // namespace msda
