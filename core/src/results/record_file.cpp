// Records on disk: one JSON line each, durable before write() returns.
#include <fcntl.h>

#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "files/read.hpp"
#include "files/write.hpp"
#include "parallel.hpp"
#include "results/record.hpp"

namespace msda {
namespace {

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
  const std::size_t whole = whole_lines(text);
  if (whole != text.size()) open.truncate(static_cast<std::int64_t>(whole));
}

void RecordWriter::write(const Record& record) {
  const OpenFile open(file_, O_WRONLY | O_APPEND);
  open.write(bytes_of(to_json(record).dump() + "\n"));
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

}  // namespace msda
