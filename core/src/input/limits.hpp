// What the settings of generated tensors may be at most.
#pragma once

#include <cstdint>

namespace msda {

/// One random word chooses among the objects of an image.
inline constexpr std::int64_t kMostObjects = std::int64_t{1} << 31U;

}  // namespace msda
