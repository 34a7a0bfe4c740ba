#include "runner/supervise/manifest.hpp"

#include <unistd.h>

#include <array>
#include <ctime>
#include <set>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <boost/version.hpp>

#include "device/host/device.hpp"
#include "files/write.hpp"
#include "hash.hpp"
#include "plugin/library.hpp"
#include "results/manifest.hpp"
#include "runner/protocol/phase.hpp"
#include "runner/protocol/protocol.hpp"

namespace msda {

/// "v0.1.0-12-gabcdef-dirty", written by CMake; "unknown" outside of git.
extern const char* const kGitState;

namespace {

using nlohmann::json;

/// A machine can be told from another one without giving its name away.
std::string host_hash() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return hash_hex(name.data());
}

json plugins_to_json(const Registry& registry) {
  json plugins = json::array();
  for (const Plugin& plugin : registry.plugins()) {
    plugins.push_back({{"name", plugin.name},
                       {"version", plugin.version},
                       {"hash", plugin.hash},
                       {"file", plugin.file.filename().string()},
                       {"build_type", plugin.build_type},
                       {"optimized", plugin.optimized},
                       {"error", plugin.error}});
  }
  return plugins;
}

/// The files that arms name (libraries of external kernels), each once; "" is the hash of one that
/// is not there.
json files_to_json(const Plan& plan, const Registry& registry) {
  std::set<std::filesystem::path> files;
  for (const Arm& arm : plan.arms) {
    for (const Use& use : arm.uses) {
      for (const ParameterSpec& spec : registry.find(use.variant).variant->info().parameters) {
        const auto given = use.parameters.find(spec.name);
        if (!spec.is_file || given == use.parameters.end()) continue;
        files.insert(std::get<std::string>(given->second));
      }
    }
  }
  json list = json::array();
  for (const std::filesystem::path& file : files) {
    const bool there = std::filesystem::is_regular_file(file);
    list.push_back({{"file", file.filename().string()}, {"hash", there ? hash_file(file) : ""}});
  }
  return list;
}

template <class Element>
json list_to_json(const std::vector<Element>& elements) {
  json list = json::array();
  for (const Element& element : elements) list.push_back(to_json(element));
  return list;
}

/// Hashes of the plugins that the arms of a manifest use, by name.
std::map<std::string, std::string> used_plugins(const json& manifest, const json& arms) {
  std::set<std::string> names;
  for (const json& arm : arms) {
    for (const json& use : arm.value("uses", json::array())) names.insert(use.value("variant", ""));
  }
  std::map<std::string, std::string> hashes;
  for (const json& plugin : manifest.value("plugins", json::array())) {
    const std::string name = plugin.value("name", "");
    const bool usable = plugin.value("error", "").empty();
    if (usable && names.contains(name)) hashes.emplace(name, plugin.value("hash", ""));
  }
  return hashes;
}

}  // namespace

std::string code_difference(const json& a, const json& b) {
  constexpr std::pair<const char*, const char*> kProgram[] = {
      {"program_version", "program version"},
      {"git_state", "program's sources"},
      {"files", "files that arms name"}};
  for (const auto& [key, what] : kProgram) {
    if (a.value(key, json()) != b.value(key, json())) return what;
  }
  const json arms = a.value("arms", json::array());
  const auto first = used_plugins(a, arms);
  auto second = used_plugins(b, arms);
  for (const auto& [name, hash] : first) {
    if (second[name] != hash) return fmt::format("plugin '{}'", name);
  }
  return "";
}

std::string git_state() { return kGitState; }

std::string utc_time() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

json make_manifest(const Experiment& experiment, const Plan& plan, const Registry& registry,
                   const json& ready, const std::vector<std::string>& command_line) {
  json manifest = {{"schema", kManifestSchema},
                   {"program_version", MSDA_VERSION},
                   {"git_state", git_state()},
                   {"compiler", fmt::format("{} {}", MSDA_COMPILER_TAG, __VERSION__)},
                   {"name", experiment.name},
                   {"summary", experiment.summary},
                   {"experiment_file", experiment.file.string()},
                   {"experiment_text", experiment.text},
                   {"command_line", command_line},
                   {"started", utc_time()},
                   {"status", run_status::kRunning},
                   {"host_hash", host_hash()},
                   {"cpu_model", host_info().name},
                   {"device", ready.at("device")},
                   {"devices", plan.devices},
                   {"shard", {{"index", plan.shard.index}, {"count", plan.shard.count}}},
                   {"provenance", ready.at("provenance")},
                   {"plugins", plugins_to_json(registry)},
                   {"files", files_to_json(plan, registry)},
                   {"problems", list_to_json(plan.problems)},
                   {"arms", list_to_json(plan.arms)},
                   {"claims", list_to_json(planned_claims(experiment, plan))},
                   {"plan", to_json(plan)}};
  if (experiment.design) manifest["ablation"] = to_json(*experiment.design);
  if (ready.contains("ceilings")) manifest["ceilings"] = ready.at("ceilings");
  return manifest;
}

json time_to_json(const std::map<std::string, double>& phase_seconds) {
  double total = 0;
  double compile = 0;
  double busy = 0;
  for (const auto& [name, seconds] : phase_seconds) {
    total += seconds;
    if (name == phase::kCompile) compile += seconds;
    if (is_busy(name)) busy += seconds;
  }
  return {{"total_seconds", total},
          {"compile_seconds", compile},
          {"busy_seconds", busy},
          {"phase_seconds", phase_seconds}};
}

json added_times(const json& a, const json& b) {
  if (!a.is_object() || !b.is_object()) return a.is_object() ? a : b;
  json sum = a;
  for (const auto& [name, value] : b.items()) {
    if (value.is_object()) {
      sum[name] = added_times(a.value(name, json::object()), value);
    } else {
      sum[name] = a.value(name, 0.0) + value.get<double>();
    }
  }
  return sum;
}

json read_manifest(const std::filesystem::path& directory) {
  const std::filesystem::path file = directory / kManifestFile;
  json manifest = read_manifest_file(file);
  if (!manifest.contains("schema")) {
    throw UsageError(fmt::format("{} is not the manifest of a run", file.string()));
  }
  if (manifest.at("schema") != kManifestSchema) {
    throw UsageError(fmt::format("{} has schema {}; this program reads schema {}", file.string(),
                                 manifest.at("schema").dump(), kManifestSchema));
  }
  return manifest;
}

void write_manifest(const std::filesystem::path& directory, const json& manifest) {
  write_atomically(directory / kManifestFile, manifest.dump(2) + "\n");
}

Shard shard_of(const json& manifest) {
  const json shard = manifest.value("shard", json::object());
  return {shard.value("index", 1), shard.value("count", 1)};
}

std::vector<std::string> changed_best(const json& manifest, const Plan& plan) {
  std::map<std::string, std::string> then;
  const json plan_then = manifest.value("plan", json::object());
  for (const json& pick : plan_then.value("best", json::array())) {
    const std::string cell = fmt::format("{}/{}/{}", pick.value("problem", ""),
                                         pick.value("arm", ""), pick.value("mode", ""));
    then[cell] = pick.value("composition", "");
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

void check_resumable(const json& manifest, const Experiment& experiment, const Plan& plan,
                     const Registry& registry) {
  const auto refuse = [](const std::string& what) {
    throw UsageError("cannot resume: " + what + "; start a new run instead");
  };
  if (manifest.value("experiment_text", "") != experiment.text) {
    refuse(fmt::format("{} has changed since the run began", experiment.file.string()));
  }
  const json device = manifest.value("device", json::object());
  if (device.value("id", "") != plan.device.id || device.value("name", "") != plan.device.name) {
    refuse(fmt::format("the run was on {} ({}), not on {} ({})", device.value("id", "?"),
                       device.value("name", "?"), plan.device.id, plan.device.name));
  }
  const Shard shard = shard_of(manifest);
  if (shard.index != plan.shard.index || shard.count != plan.shard.count) {
    refuse(fmt::format("the run was shard {}/{}, not {}/{}", shard.index, shard.count,
                       plan.shard.index, plan.shard.count));
  }
  // Includes and presets can change what the same text means.
  if (manifest.value("arms", json()) != list_to_json(plan.arms) ||
      manifest.value("problems", json()) != list_to_json(plan.problems)) {
    refuse("its arms or problems are no longer the same");
  }
  if (const auto changed = changed_best(manifest, plan); !changed.empty()) {
    refuse(fmt::format("a search has found another winner since, for {}", changed.front()));
  }
  const json now = {{"program_version", MSDA_VERSION},
                    {"git_state", git_state()},
                    {"plugins", plugins_to_json(registry)},
                    {"files", files_to_json(plan, registry)}};
  if (const std::string what = code_difference(manifest, now); !what.empty()) {
    refuse(fmt::format("the run differs from what is here in the {}", what));
  }
}

}  // namespace msda
