#include "runner/supervise/merge.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "files/write.hpp"
#include "results/counters.hpp"
#include "results/record.hpp"
#include "results/run_ranges.hpp"
#include "results/search_log.hpp"
#include "runner/plan/plan.hpp"
#include "runner/supervise/manifest.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// What has to be the same in all shards, and how a message calls it.
constexpr std::pair<const char*, const char*> kShared[] = {{"experiment_text", "experiment"},
                                                           {"arms", "arms"},
                                                           {"problems", "problems"},
                                                           {"search", "search's seed or budget"}};

std::string device_model(const json& manifest) {
  return manifest.value("device", json::object()).value("name", "?");
}

void check_shared(const json& first, const fs::path& first_directory, const json& other,
                  const fs::path& directory) {
  const auto refuse = [&](const std::string& what) {
    throw UsageError(fmt::format("cannot merge {} and {}: they differ in the {}",
                                 first_directory.string(), directory.string(), what));
  };
  for (const auto& [key, what] : kShared) {
    if (first.value(key, json()) != other.value(key, json())) refuse(what);
  }
  if (const std::string what = code_difference(first, other); !what.empty()) refuse(what);
  if (device_model(first) != device_model(other)) refuse("device model");
}

/// What tells a shard's run from the others.
json shard_entry(const json& manifest) {
  json entry = json::object();
  for (const char* key : {"shard", "status", "stopped_because", "started", "ended", "host_hash",
                          "device", "devices", "provenance", "command_line", "time"}) {
    if (manifest.contains(key)) entry[key] = manifest.at(key);
  }
  return entry;
}

/// The plan of all shards, from those of each; the phases' times added up.
void add_shard(json& merged, const json& manifest) {
  merged["shards"].push_back(shard_entry(manifest));
  const json plan = manifest.value("plan", json::object());
  for (const char* list : {"cells", "best"}) {
    for (const json& one : plan.value(list, json::array())) merged["plan"][list].push_back(one);
  }
  for (const char* list : {"groups", "searches"}) {
    for (const json& one : manifest.value(list, json::array())) merged[list].push_back(one);
  }
  merged["time"] = added_times(merged["time"], manifest.value("time", json::object()));
}

json merged_manifest(const std::vector<fs::path>& shards) {
  json merged;
  json first;
  for (const fs::path& directory : shards) {
    const json manifest = read_manifest(directory);
    if (merged.is_null()) {
      first = merged = manifest;
      for (const char* key : {"shard", "ended", "stopped_because", "resumed"}) merged.erase(key);
      merged["plan"].erase("best");
      merged["plan"]["cells"] = merged["groups"] = merged["shards"] = json::array();
      if (merged.contains("searches")) merged["searches"] = json::array();
      merged["time"] = json::object();
      merged["status"] = run_status::kComplete;
    }
    check_shared(first, shards.front(), manifest, directory);
    add_shard(merged, manifest);
    if (manifest.value("status", "") != run_status::kComplete) {
      merged["status"] = run_status::kInterrupted;
    }
    merged["started"] = std::min(merged.value("started", ""), manifest.value("started", ""));
    merged["ended"] = std::max(merged.value("ended", ""), manifest.value("ended", ""));
  }
  return merged;
}

std::vector<SearchTrial> searches_of(const std::vector<fs::path>& shards) {
  std::vector<SearchTrial> all;
  for (const fs::path& directory : shards) {
    for (SearchTrial& trial : read_search(directory / kSearchFile)) all.push_back(std::move(trial));
  }
  return all;
}

/// How many problems in modes all shards have together; nullopt where the manifest does not say.
std::optional<std::size_t> group_count(const json& merged) {
  const json::json_pointer modes("/plan/measure/modes");
  if (!merged.contains("problems") || !merged.contains(modes)) return std::nullopt;
  return merged.at("problems").size() * merged.at(modes).size();
}

/// Which of the shards are not among those given. One of more shards than groups may be empty, and
/// nothing of it is missing.
std::vector<std::string> missing_shards(const json& merged) {
  std::map<int, int> seen;
  int count = 1;
  for (const json& shard : merged.at("shards")) {
    const Shard part = shard_of(shard);
    count = std::max(count, part.count);
    ++seen[part.index];
  }
  const std::optional<std::size_t> groups = group_count(merged);
  const auto is_empty = [&](int index) {
    if (!groups) return false;
    const auto [begin, end] = part_borders(*groups, {index, count});
    return begin == end;
  };
  std::vector<std::string> missing;
  for (int index = 1; index <= count; ++index) {
    if (seen.contains(index) || is_empty(index)) continue;
    missing.push_back(fmt::format("shard {}/{}", index, count));
  }
  return missing;
}

}  // namespace

Merged merge_runs(const std::vector<fs::path>& shards, const fs::path& target) {
  if (fs::exists(target / kManifestFile)) {
    throw UsageError(
        fmt::format("{} already holds a run; give another directory", target.string()));
  }
  json manifest = merged_manifest(shards);
  std::map<std::string, fs::path> places;
  std::vector<Record> all;
  for (const fs::path& directory : shards) {
    if (!fs::exists(directory / kRecordsFile)) continue;
    for (Record& record : read_records(directory / kRecordsFile)) {
      const auto [place, is_new] = places.emplace(record.cell, directory);
      if (!is_new) {
        throw UsageError(fmt::format("cannot merge: {} and {} both have cell {}",
                                     place->second.string(), directory.string(), record.cell));
      }
      all.push_back(std::move(record));
    }
  }
  Merged result{all.size(), missing_shards(manifest)};
  for (const json& cell : manifest.at("plan").at("cells")) {
    if (!places.contains(cell.get<std::string>())) result.missing.push_back(cell);
  }
  if (!result.missing.empty()) manifest["status"] = run_status::kInterrupted;
  ensure_directory(target);
  write_records(target / kRecordsFile, all);
  for (const fs::path& directory : shards) {
    append_ranges(target / kRangesFile, read_ranges(directory / kRangesFile));
    if (auto kernels = read_counters(directory); !kernels.empty()) {
      add_counters(target, std::move(kernels));
    }
  }
  if (manifest.contains("searches")) write_search(target / kSearchFile, searches_of(shards));
  write_manifest(target, manifest);
  return result;
}

}  // namespace msda
