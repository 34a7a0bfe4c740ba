#include "runner/supervise/merge.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

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

std::string device_model(const Manifest& manifest) {
  return manifest.device ? manifest.device->name : "?";
}

void check_shared(const Manifest& first, const fs::path& first_directory, const Manifest& other,
                  const fs::path& directory) {
  const auto refuse = [&](const std::string& what) {
    throw UsageError(fmt::format("cannot merge {} and {}: they differ in the {}",
                                 first_directory.string(), directory.string(), what));
  };
  if (first.experiment_text != other.experiment_text) refuse("experiment");
  if (!same_arms(first, other)) refuse("arms");
  if (!same_problems(first, other)) refuse("problems");
  if (first.search != other.search) refuse("search's seed or budget");
  if (const std::string what = code_difference(first, other); !what.empty()) refuse(what);
  if (device_model(first) != device_model(other)) refuse("device model");
}

template <class Element>
void append(std::vector<Element>& all, const std::vector<Element>& some) {
  all.insert(all.end(), some.begin(), some.end());
}

/// The plan of all shards, from those of each; the phases' times added up.
void add_shard(Manifest& merged, const Manifest& shard) {
  merged.shards.push_back(shard);
  append(merged.plan.cells, shard.plan.cells);
  append(merged.plan.best, shard.plan.best);
  append(merged.groups, shard.groups);
  append(merged.searches, shard.searches);
  if (shard.time) *merged.time += *shard.time;
  if (shard.status != run_status::kComplete) merged.status = run_status::kInterrupted;
  merged.started = std::min(merged.started, shard.started);
  merged.ended = std::max(merged.ended, shard.ended);
}

Manifest merged_manifest(const std::vector<fs::path>& shards) {
  std::optional<Manifest> first;
  Manifest merged;
  for (const fs::path& directory : shards) {
    const Manifest manifest = read_manifest(directory);
    if (!first) {
      first = merged = manifest;
      merged.shard.reset();
      merged.time.emplace();
      merged.ended = merged.stopped_because = "";
      merged.resumed.clear();
      merged.shards.clear();
      merged.plan.cells.clear();
      merged.plan.best.clear();
      merged.groups.clear();
      merged.searches.clear();
      merged.status = run_status::kComplete;
    }
    check_shared(*first, shards.front(), manifest, directory);
    add_shard(merged, manifest);
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

/// Which of the shards are not among those given. One of more shards than groups may be empty, and
/// nothing of it is missing.
std::vector<std::string> missing_shards(const Manifest& merged) {
  std::set<int> seen;
  int count = 1;
  for (const AttemptEntry& one : merged.shards) {
    const Shard part = one.shard.value_or(Shard());
    count = std::max(count, part.count);
    seen.insert(part.index);
  }
  const std::optional<MeasureSettings>& measure = merged.plan.measure;
  const std::size_t groups = merged.problems.size() * (measure ? measure->modes.size() : 0);
  std::vector<std::string> missing;
  for (int index = 1; index <= count; ++index) {
    const auto [begin, end] = part_borders(groups, {index, count});
    const bool is_empty = groups > 0 && begin == end;
    if (!seen.contains(index) && !is_empty) {
      missing.push_back(fmt::format("shard {}/{}", index, count));
    }
  }
  return missing;
}

}  // namespace

Merged merge_runs(const std::vector<fs::path>& shards, const fs::path& target) {
  if (fs::exists(target / kManifestFile)) {
    throw UsageError(
        fmt::format("{} already holds a run; give another directory", target.string()));
  }
  Manifest manifest = merged_manifest(shards);
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
  for (const std::string& cell : manifest.plan.cells) {
    if (!places.contains(cell)) result.missing.push_back(cell);
  }
  if (!result.missing.empty()) manifest.status = run_status::kInterrupted;
  ensure_directory(target);
  write_records(target / kRecordsFile, all);
  for (const fs::path& directory : shards) {
    append_ranges(target / kRangesFile, read_ranges(directory / kRangesFile));
    if (auto kernels = read_counters(directory); !kernels.empty()) {
      add_counters(target, std::move(kernels));
    }
  }
  if (manifest.search) write_search(target / kSearchFile, searches_of(shards));
  write_manifest(target, manifest);
  return result;
}

}  // namespace msda
