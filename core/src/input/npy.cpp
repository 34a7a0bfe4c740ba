#include "input/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <cstring>
#include <span>

#include "files/read.hpp"
#include "files/write.hpp"
#include "input/npy_header.hpp"

namespace msda {
namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr std::string_view kInt64 = "<i8";
constexpr std::string_view kFlag = "|b1";
constexpr std::string_view kByte = "|u1";
constexpr std::size_t kAlignment = 64;  // of the data, as NumPy writes it

std::string to_text(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::int64_t little_endian(const Bytes& bytes) {
  std::int64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value * 256 + std::to_integer<std::int64_t>(bytes[i]);
  }
  return value;
}

/// Reads the magic string, version and header text; leaves the reader at the first data byte.
std::string read_header_text(FileReader& file) {
  if (to_text(file.read(static_cast<std::int64_t>(kNpyMagic.size()))) != kNpyMagic) {
    throw UsageError("not an .npy file: it does not begin with \\x93NUMPY");
  }
  const Bytes version = file.read(2);
  const int major = std::to_integer<int>(version[0]);
  const int minor = std::to_integer<int>(version[1]);
  if (major < 1 || major > 3 || minor != 0) {
    throw UsageError(
        fmt::format(".npy version {}.{} found; expected 1.0, 2.0 or 3.0", major, minor));
  }
  const std::int64_t length = little_endian(file.read(major == 1 ? 2 : 4));
  return to_text(file.read(length));
}

NpyType parse_descr(const std::string& descr) {
  for (const DTypeTraits& type : kDTypes) {
    if (descr == type.npy || descr == type.npy_alias) return type.type;
  }
  if (descr == kInt64) return kNpyInt64;
  if (descr == kFlag || descr == kByte) return kNpyFlag;
  const std::string_view advice = descr.starts_with('>')
                                      ? "the file is big-endian; convert it with astype('<f4')"
                                      : "convert it with astype()";
  throw UsageError(fmt::format("element type '{}' found; expected {} or '{}': {}", descr,
                               fmt::join(npy_reals(), ", "), kInt64, advice));
}

std::int64_t data_bytes(const NpyHeader& header, NpyType type) {
  const auto* const real = std::get_if<DType>(&type);
  std::int64_t bytes = real != nullptr     ? static_cast<std::int64_t>(size_of(*real))
                       : type == kNpyInt64 ? 8
                                           : 1;
  for (const std::int64_t size : header.shape) {
    if (__builtin_mul_overflow(bytes, size, &bytes)) {
      throw UsageError(fmt::format("shape {} does not fit in 63 bits", format_shape(header.shape)));
    }
  }
  return bytes;
}

NpyArray read_open_file(FileReader& file) {
  const std::string text = read_header_text(file);
  NpyHeader header = parse_npy_header(text);
  const NpyType type = parse_descr(header.descr);
  if (header.fortran_order) {
    throw UsageError(
        "Fortran order found; expected C order: save numpy.ascontiguousarray() of the array");
  }
  const std::int64_t expected = data_bytes(header, type);
  const std::int64_t found = file.remaining();
  if (found != expected) {
    throw UsageError(fmt::format("{}: {} bytes of data found; shape {} of '{}' needs {}",
                                 found < expected ? "truncated" : "longer than its header says",
                                 found, format_shape(header.shape), header.descr, expected));
  }
  return {type, std::move(header.shape), file.read(expected)};
}

/// Everything before the data, padded so that the data is aligned.
std::string make_header(NpyType type, const std::vector<std::int64_t>& shape) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                   descr_of(type), format_shape(shape));
  const std::size_t prefix = kNpyMagic.size() + 4;  // version and length
  const std::size_t unpadded = prefix + header.size() + 1;
  header.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  header.push_back('\n');
  std::string text(kNpyMagic);
  text += {1, 0, static_cast<char>(header.size() % 256), static_cast<char>(header.size() / 256)};
  return text + header;
}

}  // namespace

std::string_view descr_of(NpyType type) {
  if (const auto* const real = std::get_if<DType>(&type)) return traits_of(*real).npy;
  return type == kNpyInt64 ? kInt64 : kFlag;
}

std::vector<std::string> npy_reals() {
  std::vector<std::string> texts;
  for (const DTypeTraits& type : kDTypes) {
    texts.push_back(fmt::format("'{}'", type.npy));
    if (type.npy_alias != type.npy) texts.back() += fmt::format(" ({})", type.name);
  }
  return texts;
}

std::string format_shape(const std::vector<std::int64_t>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

NpyArray read_npy(const std::filesystem::path& path) {
  FileReader file(path);
  try {
    return read_open_file(file);
  } catch (Error& e) {
    e.add_context(path.string());
    throw;
  }
}

void write_npy(const std::filesystem::path& path, NpyType type,
               const std::vector<std::int64_t>& shape, const Bytes& data) {
  const std::string header = make_header(type, shape);
  write_atomically(path, {std::as_bytes(std::span(header)), data});
}

}  // namespace msda
