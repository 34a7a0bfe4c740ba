#include "runner/supervise/manifest.hpp"

#include <unistd.h>

#include <array>
#include <ctime>
#include <set>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <boost/version.hpp>

#include "device/host/device.hpp"
#include "hash.hpp"
#include "plugin/library.hpp"
#include "results/entries_json.hpp"
#include "results/record.hpp"
#include "runner/protocol/phase.hpp"
#include "runner/supervise/watched_files.hpp"
#include "version.hpp"

namespace msda {

/// Written by CMake, for the program alone: other programs that link this have none.
[[gnu::weak]] extern const char* const kGitState;

namespace {

using nlohmann::json;

/// A machine can be told from another one without giving its name away.
std::string host_hash() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return hash_hex(name.data());
}

std::vector<PluginEntry> plugin_entries(const Registry& registry) {
  std::vector<PluginEntry> entries;
  for (const Plugin& plugin : registry.plugins()) {
    entries.push_back({plugin.name, plugin.version, plugin.hash, plugin.file.filename().string(),
                       plugin.build_type, plugin.error, plugin.optimized});
  }
  return entries;
}

/// The files that arms and problems name, each once.
std::vector<FileEntry> file_entries(const Plan& plan, const Registry& registry) {
  std::vector<FileEntry> entries;
  for (const std::filesystem::path& file : named_files(plan, registry)) {
    const bool there = std::filesystem::is_regular_file(file);
    entries.push_back({file.filename().string(), there ? hash_file(file) : ""});
  }
  return entries;
}

/// What of a manifest a run here and now would have: the program, its plugins, arms and problems.
Manifest manifest_of_code(const Plan& plan, const Registry& registry) {
  Manifest manifest;
  manifest.schema = kManifestSchema;
  manifest.program_version = kVersion;
  manifest.git_state = git_state();
  manifest.plugins = plugin_entries(registry);
  manifest.files = file_entries(plan, registry);
  for (const ProblemSpec& spec : plan.problems) manifest.problems.push_back(entry_of(spec));
  manifest.arms.assign(plan.arms.begin(), plan.arms.end());
  return manifest;
}

/// Hashes by name of the plugins that `user`'s arms use, as `manifest` has them.
std::map<std::string, std::string> used_plugins(const Manifest& manifest, const Manifest& user) {
  std::set<std::string> names;
  for (const ArmEntry& arm : user.arms) {
    for (const Use& use : arm.uses) names.insert(use.variant);
  }
  std::map<std::string, std::string> hashes;
  for (const PluginEntry& plugin : manifest.plugins) {
    const bool usable = plugin.error.empty();
    if (usable && names.contains(plugin.name)) hashes.emplace(plugin.name, plugin.hash);
  }
  return hashes;
}

}  // namespace

std::string code_difference(const Manifest& a, const Manifest& b) {
  if (a.program_version != b.program_version) return "program version";
  if (a.git_state != b.git_state) return "program's sources";
  if (a.files != b.files) return "files that arms or problems name";
  const auto first = used_plugins(a, a);
  auto second = used_plugins(b, a);
  for (const auto& [name, hash] : first) {
    if (second[name] != hash) return fmt::format("plugin '{}'", name);
  }
  return "";
}

std::string git_state() { return &kGitState != nullptr ? kGitState : "unknown"; }

std::string utc_time() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

Manifest make_manifest(const Experiment& experiment, const Plan& plan, const Registry& registry,
                       const json& ready, const std::vector<std::string>& command_line) {
  Manifest manifest = manifest_of_code(plan, registry);
  manifest.compiler = fmt::format("{} {}", MSDA_COMPILER_TAG, __VERSION__);
  manifest.name = experiment.name;
  manifest.summary = experiment.summary;
  manifest.experiment_file = experiment.file.string();
  manifest.experiment_text = experiment.text;
  manifest.command_line = command_line;
  manifest.started = utc_time();
  manifest.status = run_status::kRunning;
  manifest.host_hash = host_hash();
  manifest.cpu_model = host_info().name;
  manifest.device = from_json_document<DeviceInfo>(ready.at("device"), "device");
  manifest.devices = plan.devices;
  manifest.shard = plan.shard;
  manifest.provenance = ready.at("provenance").get<std::map<std::string, std::string>>();
  manifest.claims = planned_claims(experiment, plan);
  manifest.plan = entry_of(plan);
  manifest.ablation = experiment.design;
  manifest.ceilings = ready.value("ceilings", json());
  return manifest;
}

RunTime run_time(const std::map<std::string, double>& phase_seconds) {
  RunTime time;
  time.phase_seconds = phase_seconds;
  for (const auto& [name, seconds] : phase_seconds) {
    time.total_seconds += seconds;
    if (name == phase::kCompile) time.compile_seconds += seconds;
    if (is_busy(name)) time.busy_seconds += seconds;
  }
  return time;
}

std::vector<std::string> changed_best(const Manifest& manifest, const Plan& plan) {
  std::map<std::string, std::string> then;
  for (const PickEntry& pick : manifest.plan.best) {
    then[cell_name(pick.problem, pick.arm, pick.mode)] = pick.composition;
  }
  std::vector<std::string> changed;
  for (const BestChoice& choice : plan.best) {
    const std::string cell =
        cell_name(plan.problems.at(choice.problem).name(), choice.arm, choice.mode);
    const std::string now = choice.match.empty() ? "" : choice.chosen.composition;
    if (then[cell] != now) changed.push_back(cell);
  }
  return changed;
}

void check_resumable(const Manifest& manifest, const Experiment& experiment, const Plan& plan,
                     const Registry& registry) {
  const auto refuse = [](const std::string& what) {
    throw UsageError("cannot resume: " + what + "; start a new run instead");
  };
  if (manifest.experiment_text != experiment.text) {
    refuse(fmt::format("{} has changed since the run began", experiment.file.string()));
  }
  const DeviceInfo device = manifest.device.value_or(DeviceInfo{"?", "?"});
  if (device.id != plan.device.id || device.name != plan.device.name) {
    refuse(fmt::format("the run was on {} ({}), not on {} ({})", device.id, device.name,
                       plan.device.id, plan.device.name));
  }
  const Shard shard = manifest.shard.value_or(Shard());
  if (shard != plan.shard) {
    throw UsageError(fmt::format(
        "cannot resume: the run was shard {0}/{1}, not {2}/{3}; {4}", shard.index, shard.count,
        plan.shard.index, plan.shard.count,
        shard == Shard() ? "leave --shard out"
                         : fmt::format("give --shard {}/{}", shard.index, shard.count)));
  }
  // Includes and presets can change what the same text means.
  const Manifest now = manifest_of_code(plan, registry);
  if (!same_arms(manifest, now) || !same_problems(manifest, now)) {
    refuse("its arms or problems are no longer the same");
  }
  if (const auto changed = changed_best(manifest, plan); !changed.empty()) {
    refuse(fmt::format("a search has found another winner since, for {}", changed.front()));
  }
  if (const std::string what = code_difference(manifest, now); !what.empty()) {
    refuse(fmt::format("the run differs from what is here in the {}", what));
  }
}

}  // namespace msda
