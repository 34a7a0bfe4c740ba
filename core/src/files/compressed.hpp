// Text made smaller, for files that are kept for good.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "files/bytes.hpp"
#include "files/read.hpp"

namespace msda {

/// A Zstandard frame (RFC 8878) with the text's size and a checksum; `zstd -d` reads it. The same
/// text gives the same bytes from one version of the library. Throws EnvironmentError without
/// memory.
Bytes compressed(std::string_view text);

/// The text of one such frame. Throws UsageError for anything else: another format, a frame that is
/// torn or spoilt, more than `most` bytes of text. The caller adds the file's name.
std::string decompressed(ByteSpan frame, std::int64_t most = kMostText);

}  // namespace msda
