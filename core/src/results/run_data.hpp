// A run as a whole: what its directory holds, or one file of it that is kept for good.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/counters.hpp"
#include "results/manifest.hpp"
#include "results/record.hpp"
#include "results/run_ranges.hpp"
#include "results/search_log.hpp"

namespace msda {

/// All that a report is made of.
struct RunData {
  Manifest manifest;
  std::vector<Record> records;  ///< one for each cell
  std::vector<SearchTrial> trials;
  std::vector<KernelCounters> counters;
  std::vector<RunRange> ranges;
};

/// Ends the name of an archive: JSON Lines in a Zstandard frame.
inline constexpr const char* kArchiveSuffix = ".jsonl.zst";
inline constexpr int kArchiveSchema = 1;

/// The run in a directory (manifest.json and records.jsonl, and search.jsonl, counters.jsonl and
/// ranges.jsonl where they are there), or in an archive. Throws UsageError when `place` is neither,
/// cannot be read, or has a line that is broken.
RunData read_run(const std::filesystem::path& place);

/// Writes the run without what tells of the machine's names: see without_places(). Its lines are
/// {"archive": 1}, then one object each: {"manifest": ...}, {"record": ...} with all samples,
/// {"trial": ...}, {"counters": ...}, {"range": ...}. Throws EnvironmentError.
void write_archive(const std::filesystem::path& file, const RunData& run);

/// The same value in which each absolute path of a text is the path's last part, and no object has
/// a member "host_hash": a short list of names would be enough to find the one behind it.
nlohmann::json without_places(const nlohmann::json& value);
/// Of one text: "/home/me/x.yaml --output=/tmp/y" is "x.yaml --output=y". A path has two parts at
/// least, so that " / " and "/s" stay.
std::string without_places(const std::string& text);

}  // namespace msda
