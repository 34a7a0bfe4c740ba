// Records on disk: one JSON line each.
#include <map>
#include <optional>

#include "files/line_file.hpp"
#include "files/write.hpp"
#include "json_text.hpp"
#include "parallel.hpp"
#include "results/json_lines.hpp"
#include "results/record.hpp"

namespace msda {
namespace {

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

RecordWriter::RecordWriter(const std::filesystem::path& file) : file_(file) { open_lines(file_); }

void RecordWriter::write(const Record& record) { append_line(file_, json_text(to_json(record))); }

std::vector<Record> read_records(const std::filesystem::path& file) {
  const std::vector<std::string> lines = read_lines(file);
  std::vector<std::optional<Record>> read(lines.size());
  constexpr std::int64_t kLinesAtATime = 64;
  parallel_for(std::ssize(lines), kLinesAtATime, 0, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      if (!lines[i].empty()) read[i] = parse_json_line(lines[i], file, i + 1, record_from_json);
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
  for (const Record& record : records) text += json_text(to_json(record)) + "\n";
  write_atomically(file, text);
}

}  // namespace msda
