#include "files/compressed.hpp"

#include <memory>

#include <fmt/format.h>
#include <zstd.h>
#include <msda/error.hpp>

namespace msda {
namespace {

/// Near the smallest size that the library reaches; a file is written once and kept.
constexpr int kLevel = 19;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

}  // namespace

Bytes compressed(std::string_view text) {
  const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  if (context == nullptr) throw EnvironmentError("no memory to compress with");
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  Bytes frame(ZSTD_compressBound(text.size()));
  const std::size_t size =
      ZSTD_compress2(context.get(), frame.data(), frame.size(), text.data(), text.size());
  if (ZSTD_isError(size) != 0) {
    throw EnvironmentError(fmt::format("cannot compress: {}", ZSTD_getErrorName(size)));
  }
  frame.resize(size);
  return frame;
}

std::string decompressed(ByteSpan frame, std::int64_t most) {
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
    throw UsageError("not a Zstandard frame that says its size");
  }
  if (size > static_cast<unsigned long long>(most)) {
    throw UsageError(fmt::format("holds {} bytes of text, more than {}", size, most));
  }
  std::string text(size, '\0');
  const std::size_t read = ZSTD_decompress(text.data(), text.size(), frame.data(), frame.size());
  if (ZSTD_isError(read) != 0) {
    throw UsageError(fmt::format("spoilt: {}", ZSTD_getErrorName(read)));
  }
  return text;
}

}  // namespace msda
