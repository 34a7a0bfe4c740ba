#include "results/run_data.hpp"

#include <cctype>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <msda/error.hpp>
#include <nlohmann/json.hpp>

#include "files/compressed.hpp"
#include "files/write.hpp"
#include "json_text.hpp"
#include "results/json_lines.hpp"

namespace msda {
namespace {

using nlohmann::json;

/// A place that nothing can be known of is not one where nothing is.
std::filesystem::file_status status_of(const std::filesystem::path& place) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(place, error);
  if (std::filesystem::status_known(status)) return status;
  throw UsageError(fmt::format("cannot read {}: {}", place.string(), error.message()));
}

RunData read_directory(const std::filesystem::path& directory) {
  for (const char* name : {kManifestFile, "records.jsonl"}) {
    if (!std::filesystem::exists(status_of(directory / name))) {
      throw UsageError(fmt::format("{} has no {}; expected a directory that `msda run` wrote",
                                   directory.string(), name));
    }
  }
  return {read_manifest_file(directory / kManifestFile), read_records(directory / "records.jsonl"),
          read_search(directory / kSearchFile), read_counters(directory),
          read_ranges(directory / kRangesFile)};
}

/// Adds what a line holds to the run. Throws UsageError for a member of another name.
void take_line(const json& line, RunData& run) {
  if (!line.is_object() || line.size() != 1) throw UsageError("not an object of one member");
  const std::string& kind = line.items().begin().key();
  const json& value = line.items().begin().value();
  if (kind == "manifest") {
    run.manifest = manifest_from_json(value);
  } else if (kind == "record") {
    run.records.push_back(record_from_json(value));
  } else if (kind == "trial") {
    run.trials.push_back(search_trial_from_json(value));
  } else if (kind == "counters") {
    run.counters.push_back(counters_from_json(value));
  } else if (kind == "range") {
    run.ranges.push_back(run_range_from_json(value));
  } else {
    throw UsageError(fmt::format("'{}' is nothing that a run has", kind));
  }
}

void require_schema(const json& line) {
  const auto schema = line.is_object() ? line.find("archive") : line.end();
  if (schema == line.end()) throw UsageError("the first line must say {\"archive\": 1}");
  if (*schema != kArchiveSchema) {
    throw UsageError(fmt::format("an archive of schema {}; this program reads schema {}",
                                 json_text(*schema), kArchiveSchema));
  }
}

std::string text_of_archive(const std::filesystem::path& file) {
  FileReader reader(file);
  const Bytes frame = reader.read(reader.remaining());
  try {
    return decompressed(frame);
  } catch (UsageError& error) {
    error.add_context(fmt::format("{}: no archive of a run", file.string()));
    throw;
  }
}

RunData read_archive(const std::filesystem::path& file) {
  std::istringstream lines(text_of_archive(file));
  RunData run;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    parse_json_line(line, file, number, [&](const json& value) {
      number == 1 ? require_schema(value) : take_line(value, run);
    });
  }
  if (run.manifest.schema == 0) {
    throw UsageError(fmt::format("{} has no manifest of a run", file.string()));
  }
  return run;
}

bool is_of_a_path(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("._-+~@%").find(c) != std::string_view::npos;
}

/// Where the path that begins at `begin` has its last part; npos where no path of two parts does.
std::size_t last_part(const std::string& text, std::size_t begin) {
  if (begin > 0 && (is_of_a_path(text[begin - 1]) || text[begin - 1] == '/')) {
    return std::string::npos;  // inside of a relative path, or of an address
  }
  std::size_t last = std::string::npos;
  for (std::size_t at = begin;
       at + 1 < text.size() && text[at] == '/' && is_of_a_path(text[at + 1]);) {
    if (at > begin) last = at + 1;
    ++at;
    while (at < text.size() && is_of_a_path(text[at])) ++at;
  }
  return last;
}

}  // namespace

std::string without_places(const std::string& text) {
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t last = text[at] == '/' ? last_part(text, at) : std::string::npos;
    if (last == std::string::npos) {
      kept += text[at++];
    } else {
      at = last;
    }
  }
  return kept;
}

json without_places(const json& value) {
  if (value.is_string()) return without_places(value.get_ref<const std::string&>());
  json kept = value;
  if (value.is_object()) kept.erase("host_hash");
  if (value.is_structured()) {
    for (json& member : kept) member = without_places(std::as_const(member));
  }
  return kept;
}

RunData read_run(const std::filesystem::path& place) {
  switch (status_of(place).type()) {
    case std::filesystem::file_type::directory: return read_directory(place);
    case std::filesystem::file_type::regular: return read_archive(place);
    default:
      throw UsageError(
          fmt::format("{} is not a directory; expected one that `msda run` wrote, or "
                      "an archive that `msda publish` wrote",
                      place.string()));
  }
}

void write_archive(const std::filesystem::path& file, const RunData& run) {
  std::string text = json_text(json{{"archive", kArchiveSchema}}) + "\n";
  const auto add = [&text](const char* kind, const json& value) {
    text += json_text(json{{kind, without_places(value)}}) + "\n";
  };
  add("manifest", to_json(run.manifest));
  for (const Record& record : run.records) add("record", to_json(record));
  for (const SearchTrial& trial : run.trials) add("trial", to_json(trial));
  for (const KernelCounters& counters : run.counters) add("counters", to_json(counters));
  for (const RunRange& range : run.ranges) add("range", to_json(range));
  const Bytes frame = compressed(text);
  write_atomically(file, {ByteSpan(frame)});
}

}  // namespace msda
