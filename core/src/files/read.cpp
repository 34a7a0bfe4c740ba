#include "files/read.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>

namespace msda {
namespace {

/// Without waiting for the other end of a pipe.
constexpr int kToRead = O_RDONLY | O_NONBLOCK;

[[noreturn]] void throw_unreadable(const std::filesystem::path& path, std::string_view reason) {
  throw UsageError(fmt::format("cannot read {}: {}", path.string(), reason));
}

/// The path, when it may be opened: what the user named is checked before the system is asked, so
/// that the message is about the file and not about a call.
const std::filesystem::path& checked(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw_unreadable(path, "no such file");
  if (std::filesystem::is_directory(status)) throw_unreadable(path, "it is a directory");
  if (!std::filesystem::is_regular_file(status)) throw_unreadable(path, "not a regular file");
  return path;
}

OpenFile open_to_read(const std::filesystem::path& path) {
  try {
    return {checked(path), kToRead};
  } catch (const EnvironmentError& refused) {
    throw UsageError(refused.what());
  }
}

}  // namespace

FileReader::FileReader(const std::filesystem::path& path) : file_(open_to_read(path)) {
  if (!file_.is_regular()) throw_unreadable(path, "not a regular file");
  remaining_ = file_.size();
}

Bytes FileReader::read(std::int64_t count) {
  require(count);
  Bytes bytes(static_cast<std::size_t>(count));
  read_into(bytes);
  return bytes;
}

void FileReader::read_into(std::span<std::byte> target) {
  require(static_cast<std::int64_t>(target.size()));
  if (read_some(target) != target.size()) throw UsageError("it became shorter while it was read");
}

std::size_t FileReader::read_some(std::span<std::byte> target) {
  const std::size_t count = file_.read(target);
  remaining_ = std::max<std::int64_t>(0, remaining_ - static_cast<std::int64_t>(count));
  return count;
}

void FileReader::require(std::int64_t count) const {
  if (count <= remaining_) return;
  throw UsageError(
      fmt::format("truncated: {} bytes left where {} are expected", remaining_, count));
}

std::string read_text(const std::filesystem::path& file, std::int64_t most) {
  FileReader reader(file);
  std::string text;
  std::array<std::byte, 1 << 16> part;
  if (reader.remaining() <= most) text.reserve(static_cast<std::size_t>(reader.remaining()));
  while (const std::size_t count = reader.read_some(part)) {
    text.append(reinterpret_cast<const char*>(part.data()), count);
    if (static_cast<std::int64_t>(text.size()) > most) {
      throw_unreadable(file, fmt::format("it has more than {} bytes", most));
    }
  }
  return text;
}

std::optional<std::string> read_text_if_there(const std::filesystem::path& file) {
  try {
    return read_text(file);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace msda
