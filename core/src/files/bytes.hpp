// Raw bytes: of a file, or of a tensor whose element type and shape are told elsewhere.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace msda {

using Bytes = std::vector<std::byte>;
using ByteSpan = std::span<const std::byte>;

inline ByteSpan bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

}  // namespace msda
