// Values are stored as round(127 * v / max|v|) in 8 bits, with one scale for each image, head and
// level: a quarter or half of the bytes that are gathered.
#pragma once

#include <int8_value/columns.cuh>
#include <int8_value/halves.cuh>

namespace msda::int8_value {

/// Values of the parameter "blend".
enum Blend : int { kBlendHalves, kBlendColumns };

template <class K, class Parameters>
struct Arithmetic : Conditional<Parameters::blend == kBlendColumns, Columns<K>, Halves<K>> {};

}  // namespace msda::int8_value
