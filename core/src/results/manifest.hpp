// manifest.json: what a run was, so that its numbers can be judged and the run resumed. The runner
// writes it, reports read it; manifest.cpp lists its fields once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <msda/variant.hpp>
#include <nlohmann/json.hpp>

#include "design/design.hpp"
#include "design/space.hpp"
#include "facts/arm.hpp"
#include "facts/measure_settings.hpp"
#include "facts/problem_spec.hpp"
#include "facts/timing_mode.hpp"
#include "results/claim.hpp"

namespace msda {

inline constexpr int kManifestSchema = 1;
inline constexpr const char* kManifestFile = "manifest.json";

/// How a run stands.
namespace run_status {
inline constexpr const char* kRunning = "running";
inline constexpr const char* kComplete = "complete";
inline constexpr const char* kInterrupted = "interrupted";
inline constexpr const char* kStopped = "stopped";  ///< "stopped_because" says why
}  // namespace run_status

/// Part `index` of `count`, from 1 on.
struct Shard {
  int index = 1;
  int count = 1;
  friend bool operator==(const Shard&, const Shard&) = default;
};

struct PluginEntry {
  std::string name;
  std::string version;
  std::string hash;
  std::string file;
  std::string build_type;
  std::string error;
  bool optimized = true;
};

/// A file that arms or problems name; "" is the hash of one that is not there.
struct FileEntry {
  std::string file;
  std::string hash;
  friend bool operator==(const FileEntry&, const FileEntry&) = default;
};

/// A problem, and what it comes to.
struct ProblemEntry : ProblemSpec {
  std::string description;
  std::int64_t minimum_dram_bytes = 0;
  std::int64_t gathered_bytes = 0;
  std::int64_t flops = 0;
  std::string flops_are = "16 per point and output element";  ///< Operator::flops_text()
};
ProblemEntry entry_of(const ProblemSpec& spec);

/// What an arm with `use: best` was on a problem in a mode.
struct PickEntry {
  std::string problem;
  TimingMode mode = kUsualMode;
  std::string arm;
  std::string composition;
  std::string match;
};

struct PlanEntry {
  std::string baseline;
  std::optional<MeasureSettings> measure;
  std::vector<std::string> cells;
  std::optional<double> estimated_seconds;
  std::vector<std::string> notes;
  std::vector<PickEntry> best;
};

/// Wall-clock time of a run's workers.
struct RunTime {
  double total_seconds = 0;
  double compile_seconds = 0;
  double busy_seconds = 0;  ///< of the device
  std::map<std::string, double> phase_seconds;

  RunTime& operator+=(const RunTime& other);
};

/// How a problem in a mode ended.
struct GroupEntry {
  std::string problem;
  TimingMode mode = kUsualMode;
  int processes = 0;
  double measured_seconds = 0;
  std::string stopped_by;
  /// Of the least precise ratio; NaN where none is known.
  double precision = std::numeric_limits<double>::quiet_NaN();
};

/// What a search is asked for beside its space.
struct SearchBudget {
  std::uint64_t seed = 0;
  double budget_seconds = 0;
  friend bool operator==(const SearchBudget&, const SearchBudget&) = default;
};

struct RemovedEntry {
  std::string reason;
  std::uint64_t points = 0;
};

struct FinalistEntry : ArmEntry {
  std::uint64_t number = 0;  ///< a point's of the space; from its size on a known arm's
  double searched_gain = 0;
};

/// How the search of a problem in a mode ended.
struct SearchEntry {
  std::string problem;
  TimingMode mode = kUsualMode;
  std::string baseline;
  std::uint64_t points = 0;     ///< of the space
  std::uint64_t looked_at = 0;  ///< of these
  std::uint64_t left = 0;       ///< that can run
  std::vector<RemovedEntry> removed;
  std::size_t measured = 0;
  std::size_t failed = 0;
  bool whole = false;
  bool out_of_time = false;
  std::vector<FinalistEntry> finalists;
  std::string failure;  ///< why the search could not be made
  /// The problems of a search for all of them; empty: `problem` alone. Each has an entry.
  std::vector<std::string> together{};
  std::string winner{};  ///< of `together`: the confirmed arm, or ""
};

/// Where and when a run ran, and how it ended.
struct AttemptEntry {
  std::string status;
  std::string stopped_because;
  std::string started;
  std::string ended;
  std::string host_hash;
  std::vector<std::string> command_line;
  std::optional<DeviceInfo> device;  ///< the first one
  std::vector<std::string> devices;
  std::map<std::string, std::string> provenance;
  std::optional<Shard> shard;
  std::optional<RunTime> time;
};

struct ResumeEntry {
  std::string time;
  std::vector<std::string> command_line;
};

struct Manifest : AttemptEntry {
  Manifest() = default;  // and so no aggregate: what is set is named

  int schema = 0;  ///< 0: not of a run
  std::string program_version;
  std::string git_state;
  std::string program_hash;  ///< "" in earlier manifests
  std::string compiler;
  std::string name;
  std::string summary;
  std::string experiment_file;
  std::string experiment_text;
  std::string cpu_model;
  nlohmann::json ceilings;       ///< Ceilings, and how they were measured; null for none
  nlohmann::json imported_from;  ///< the other program and what it says; null for a run of ours
  std::vector<PluginEntry> plugins;
  std::vector<FileEntry> files;
  std::vector<ProblemEntry> problems;
  std::vector<ArmEntry> arms;
  std::vector<Claim> claims;
  PlanEntry plan;
  std::vector<GroupEntry> groups;
  std::optional<Design> ablation;
  std::optional<SearchSpace> space;
  std::optional<SearchBudget> search;
  std::vector<SearchEntry> searches;
  std::vector<ResumeEntry> resumed;
  std::vector<AttemptEntry> shards;  ///< the runs that a merged one is made of
};

nlohmann::json to_json(const Manifest& manifest);

/// Every field may be absent, and others are ignored. Throws UsageError for a field of another
/// type: "manifest field 'plan.cells' must be a list of strings, not 5".
Manifest manifest_from_json(const nlohmann::json& object);

/// The same of a file. Throws UsageError that begins with the file.
Manifest read_manifest_file(const std::filesystem::path& file);

/// Whether the arms are the same; whether the problems are.
bool same_arms(const Manifest& a, const Manifest& b);
bool same_problems(const Manifest& a, const Manifest& b);

/// Throws UsageError when the directory's manifest is missing or not of a run of this schema.
Manifest read_manifest(const std::filesystem::path& directory);
void write_manifest(const std::filesystem::path& directory, const Manifest& manifest);

}  // namespace msda
