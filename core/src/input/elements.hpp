// Reading and writing the elements of a typed tensor: in memory of any alignment.
// Conversions to float are exact; conversions from float round to nearest, ties to even.
#pragma once

#include <cstdint>
#include <span>

#include <msda/dtype.hpp>

#include "input/input.hpp"

namespace msda {

/// Element i of a tensor of `type` that starts at `data`.
double load_element(DType type, const std::byte* data, std::int64_t i);
void store_element(DType type, std::byte* data, std::int64_t i, float x);

/// Elements [first, first + out.size()) as float.
void load_floats(DType type, const std::byte* data, std::int64_t first, std::span<float> out);
/// Stores `in` as elements [first, first + in.size()).
void store_floats(DType type, std::span<const float> in, std::byte* data, std::int64_t first);

/// True when every element of `from` has the same value in `to`.
bool converts_exactly(DType from, DType to);

}  // namespace msda
