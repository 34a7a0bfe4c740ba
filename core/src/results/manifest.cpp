#include "results/manifest.hpp"

#include <fmt/format.h>
#include <msda/error.hpp>

#include "facts/timing_mode.hpp"
#include "files/read.hpp"
#include "json_fields.hpp"

namespace msda {
namespace {

using nlohmann::json;
using Text = std::optional<std::string>;
using Integer = std::optional<std::int64_t>;
using Number = std::optional<double>;
using Seconds = std::chrono::duration<double>;  ///< unlike a number never null

// The types of the manifest's fields, for checking alone; the names are in the lists below.

struct DeviceShape {
  Text id, name, kind;
  Integer compute_capability, multiprocessors, memory_bytes, l2_bytes, shared_bytes;
};

struct ProblemShape {
  Text name, description;
};

struct UseShape {
  Text variant;
};

struct ArmShape {
  Text name, composition, refused;
  std::optional<std::vector<UseShape>> uses;
};

struct PluginShape {
  Text name, version, hash, file, build_type, error;
  std::optional<bool> optimized;
};

/// A file that arms name.
struct FileShape {
  Text file, hash;
};

struct ShardShape {
  Integer index, count;
};

struct MeasureShape {
  Integer processes, most_processes, blocks, samples, warmup, input_sets;
  Number precision, budget_seconds;
  std::optional<std::vector<TimingMode>> modes;
};

/// What an arm with `use: best` was on a problem in a mode.
struct PickShape {
  Text problem, mode, arm, composition, match;
};

struct PlanShape {
  Text baseline;
  Number estimated_seconds;
  std::optional<std::vector<std::string>> cells, notes;
  std::optional<std::vector<PickShape>> best;
  std::optional<MeasureShape> measure;
};

struct TimeShape {
  std::optional<Seconds> total_seconds, compile_seconds, busy_seconds;
  std::optional<std::map<std::string, Seconds>> phase_seconds;
};

struct GroupShape {
  Text problem, mode, stopped_by;
  Integer processes;
  Number measured_seconds, precision;
};

/// One of the runs that a merged one is made of.
struct PartShape {
  std::optional<ShardShape> shard;
  Text status;
  std::optional<DeviceShape> device;
  std::optional<TimeShape> time;
};

struct Shape {
  Integer schema;
  Text program_version, git_state, compiler, name, summary, experiment_file, experiment_text;
  Text started, ended, status, stopped_because, host_hash, cpu_model;
  std::optional<std::vector<std::string>> command_line, devices;
  std::optional<DeviceShape> device;
  std::optional<ShardShape> shard;
  std::optional<std::vector<PluginShape>> plugins;
  std::optional<std::vector<FileShape>> files;
  std::optional<std::vector<ProblemShape>> problems;
  std::optional<std::vector<ArmShape>> arms;
  std::optional<PlanShape> plan;
  std::optional<TimeShape> time;
  std::optional<std::vector<GroupShape>> groups;
  std::optional<std::vector<PartShape>> shards;
};

}  // namespace

template <>
struct JsonFields<DeviceShape> {
  using D = DeviceShape;
  static auto list() {
    return std::tuple(
        json_field("id", &D::id), json_field("name", &D::name), json_field("kind", &D::kind),
        json_field("compute_capability", &D::compute_capability),
        json_field("multiprocessors", &D::multiprocessors),
        json_field("memory_bytes", &D::memory_bytes), json_field("l2_bytes", &D::l2_bytes),
        json_field("shared_bytes", &D::shared_bytes));
  }
};

template <>
struct JsonFields<ProblemShape> {
  static auto list() {
    return std::tuple(json_field("name", &ProblemShape::name),
                      json_field("description", &ProblemShape::description));
  }
};

template <>
struct JsonFields<UseShape> {
  static auto list() { return std::tuple(json_field("variant", &UseShape::variant)); }
};

template <>
struct JsonFields<ArmShape> {
  using A = ArmShape;
  static auto list() {
    return std::tuple(json_field("name", &A::name), json_field("composition", &A::composition),
                      json_field("refused", &A::refused), json_field("uses", &A::uses));
  }
};

template <>
struct JsonFields<PluginShape> {
  using P = PluginShape;
  static auto list() {
    return std::tuple(json_field("name", &P::name), json_field("version", &P::version),
                      json_field("hash", &P::hash), json_field("file", &P::file),
                      json_field("build_type", &P::build_type),
                      json_field("optimized", &P::optimized), json_field("error", &P::error));
  }
};

template <>
struct JsonFields<FileShape> {
  static auto list() {
    return std::tuple(json_field("file", &FileShape::file), json_field("hash", &FileShape::hash));
  }
};

template <>
struct JsonFields<ShardShape> {
  static auto list() {
    return std::tuple(json_field("index", &ShardShape::index),
                      json_field("count", &ShardShape::count));
  }
};

template <>
struct JsonFields<MeasureShape> {
  using M = MeasureShape;
  static auto list() {
    return std::tuple(json_field("modes", &M::modes), json_field("processes", &M::processes),
                      json_field("most_processes", &M::most_processes),
                      json_field("blocks", &M::blocks), json_field("samples", &M::samples),
                      json_field("warmup", &M::warmup), json_field("input_sets", &M::input_sets),
                      json_field("precision", &M::precision),
                      json_field("budget_seconds", &M::budget_seconds));
  }
};

template <>
struct JsonFields<PickShape> {
  using P = PickShape;
  static auto list() {
    return std::tuple(json_field("problem", &P::problem), json_field("mode", &P::mode),
                      json_field("arm", &P::arm), json_field("composition", &P::composition),
                      json_field("match", &P::match));
  }
};

template <>
struct JsonFields<PlanShape> {
  using P = PlanShape;
  static auto list() {
    return std::tuple(json_field("baseline", &P::baseline),
                      json_field("estimated_seconds", &P::estimated_seconds),
                      json_field("cells", &P::cells), json_field("notes", &P::notes),
                      json_field("best", &P::best), json_field("measure", &P::measure));
  }
};

template <>
struct JsonFields<TimeShape> {
  using T = TimeShape;
  static auto list() {
    return std::tuple(json_field("total_seconds", &T::total_seconds),
                      json_field("compile_seconds", &T::compile_seconds),
                      json_field("busy_seconds", &T::busy_seconds),
                      json_field("phase_seconds", &T::phase_seconds));
  }
};

template <>
struct JsonFields<GroupShape> {
  using G = GroupShape;
  static auto list() {
    return std::tuple(json_field("problem", &G::problem), json_field("mode", &G::mode),
                      json_field("stopped_by", &G::stopped_by),
                      json_field("processes", &G::processes),
                      json_field("measured_seconds", &G::measured_seconds),
                      json_field("precision", &G::precision));
  }
};

template <>
struct JsonFields<PartShape> {
  using P = PartShape;
  static auto list() {
    return std::tuple(json_field("shard", &P::shard), json_field("status", &P::status),
                      json_field("device", &P::device), json_field("time", &P::time));
  }
};

template <>
struct JsonFields<Shape> {
  using S = Shape;
  static auto list() {
    return std::tuple(
        json_field("schema", &S::schema), json_field("program_version", &S::program_version),
        json_field("git_state", &S::git_state), json_field("compiler", &S::compiler),
        json_field("name", &S::name), json_field("summary", &S::summary),
        json_field("experiment_file", &S::experiment_file),
        json_field("experiment_text", &S::experiment_text), json_field("started", &S::started),
        json_field("ended", &S::ended), json_field("status", &S::status),
        json_field("stopped_because", &S::stopped_because), json_field("host_hash", &S::host_hash),
        json_field("cpu_model", &S::cpu_model), json_field("command_line", &S::command_line),
        json_field("devices", &S::devices), json_field("device", &S::device),
        json_field("shard", &S::shard), json_field("plugins", &S::plugins),
        json_field("files", &S::files), json_field("problems", &S::problems),
        json_field("arms", &S::arms), json_field("plan", &S::plan), json_field("time", &S::time),
        json_field("groups", &S::groups), json_field("shards", &S::shards));
  }
};

void check_manifest(const json& manifest) {
  static_cast<void>(from_json_document<Shape>(manifest, "manifest"));
}

json read_manifest_file(const std::filesystem::path& file) {
  json manifest = json::parse(read_text(file), nullptr, false);
  if (manifest.is_discarded()) {
    throw UsageError(fmt::format("{} is not valid JSON", file.string()));
  }
  try {
    check_manifest(manifest);
  } catch (UsageError& error) {
    error.add_context(file.string());
    throw;
  }
  return manifest;
}

}  // namespace msda
