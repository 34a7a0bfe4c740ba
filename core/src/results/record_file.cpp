// Records on disk: one JSON line each, durable before write() returns.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "parallel.hpp"
#include "results/record.hpp"

namespace msda {
namespace {

/// What the operating system refused, with the file and its reason: no space, no permission.
EnvironmentError system_error(const char* action, const std::filesystem::path& file) {
  return EnvironmentError(fmt::format("cannot {} {}: {}", action, file.string(),
                                      std::generic_category().message(errno)));
}

/// A file descriptor that is closed with the object.
class OpenFile {
 public:
  OpenFile(const std::filesystem::path& file, int flags)
      : file_(file), descriptor_(::open(file.c_str(), flags | O_CLOEXEC, 0644)) {
    if (descriptor_ < 0) throw system_error("open", file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { ::close(descriptor_); }

  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw system_error("write", file_);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void sync() const {
    if (::fsync(descriptor_) != 0) throw system_error("flush", file_);
  }

  off_t size() const { return ::lseek(descriptor_, 0, SEEK_END); }

  void truncate(off_t size) const {
    if (::ftruncate(descriptor_, size) != 0) throw system_error("shorten", file_);
  }

 private:
  std::filesystem::path file_;
  int descriptor_;
};

std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    throw UsageError("cannot read " + file.string() + ": no such file, or no permission");
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

/// Bytes up to and including the last line end: what an interrupted writer left whole.
std::size_t whole_lines(const std::string& text) {
  const std::size_t end = text.rfind('\n');
  return end == std::string::npos ? 0 : end + 1;
}

/// Without their ends; the text ends in one.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

Record read_record(std::string_view line, const std::filesystem::path& file, std::size_t number) {
  try {
    return record_from_json(nlohmann::json::parse(line));
  } catch (UsageError& error) {
    error.add_context(fmt::format("{}:{}", file.string(), number));
    throw;
  } catch (const nlohmann::json::exception& error) {
    throw UsageError(
        fmt::format("{}:{}: not a JSON line: {}", file.string(), number, error.what()));
  }
}

/// Puts the record into the list, joined with an earlier one of its cell.
void insert(std::vector<Record>& records, std::map<std::string, std::size_t>& places,
            Record record) {
  const auto [place, is_new] = places.emplace(record.cell, records.size());
  if (is_new) {
    records.push_back(std::move(record));
  } else {
    Record& earlier = records[place->second];
    earlier = joined(std::move(earlier), std::move(record));
  }
}

}  // namespace

RecordWriter::RecordWriter(const std::filesystem::path& file) : file_(file) {
  const OpenFile open(file_, O_RDWR | O_CREAT);
  const std::string text = read_text(file_);
  if (whole_lines(text) != text.size()) open.truncate(static_cast<off_t>(whole_lines(text)));
}

void RecordWriter::write(const Record& record) {
  const OpenFile open(file_, O_WRONLY | O_APPEND);
  open.write(to_json(record).dump() + "\n");
  open.sync();
}

std::vector<Record> read_records(const std::filesystem::path& file) {
  const std::string text = read_text(file);
  const auto lines = lines_of(std::string_view(text).substr(0, whole_lines(text)));
  std::vector<std::optional<Record>> read(lines.size());
  constexpr std::int64_t kLinesAtATime = 64;
  parallel_for(std::ssize(lines), kLinesAtATime, 0, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      if (!lines[i].empty()) read[i] = read_record(lines[i], file, i + 1);
    }
  });
  std::vector<Record> records;
  std::map<std::string, std::size_t> places;
  for (std::optional<Record>& record : read) {
    if (record) insert(records, places, *std::move(record));
  }
  return records;
}

void write_records(const std::filesystem::path& file, const std::vector<Record>& records) {
  std::string text;
  for (const Record& record : records) text += to_json(record).dump() + "\n";
  write_atomically(file, text);
}

void write_atomically(const std::filesystem::path& file, const std::string& text) {
  static std::atomic<unsigned> counter{
      0};  // threads of one process write the same file at a time, too
  std::filesystem::path temporary = file;
  temporary += fmt::format(".{}.{}.tmp", ::getpid(), counter++);
  try {
    const OpenFile open(temporary, O_WRONLY | O_CREAT | O_TRUNC);
    open.write(text);
    open.sync();
    std::filesystem::rename(temporary, file);
  } catch (const std::filesystem::filesystem_error& error) {
    std::filesystem::remove(temporary);
    throw EnvironmentError(fmt::format("cannot rename {} to {}: {}", temporary.string(),
                                       file.string(), error.code().message()));
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
}

}  // namespace msda
