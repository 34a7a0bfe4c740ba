#include "results/manifest.hpp"

#include <fmt/format.h>
#include <msda/error.hpp>

#include "files/read.hpp"
#include "files/write.hpp"
#include "json_members.hpp"
#include "json_text.hpp"
#include "operators/operator.hpp"
#include "problem/validate.hpp"
#include "results/entries_json.hpp"
#include "results/schema.hpp"

namespace msda {
namespace {

using nlohmann::json;

using ProblemFacts = JsonMembers<&ProblemEntry::description, &ProblemEntry::minimum_dram_bytes,
                                 &ProblemEntry::gathered_bytes, &ProblemEntry::flops>;
using OperatorFacts = JsonMembersUnlessEmpty<&ProblemEntry::flops_are>;

}  // namespace

template <>
json write_json<ProblemEntry>(const ProblemEntry& entry) {
  json object = write_json<ProblemSpec>(entry);
  object.update(write_json_fields(entry, ProblemFacts::list()));
  object.update(write_json_fields(entry, OperatorFacts::list()));
  return object;
}

template <>
void read_json<ProblemEntry>(const json& object, const JsonPlace& place, ProblemEntry& entry) {
  read_json<ProblemSpec>(object, place, entry);
  read_json_fields(object, place, entry, ProblemFacts::list());
  read_json_fields(object, place, entry, OperatorFacts::list());
}

template <>
struct JsonFields<Shard> : JsonMembers<&Shard::index, &Shard::count> {};

template <>
struct JsonFields<PluginEntry>
    : JsonMembers<&PluginEntry::name, &PluginEntry::version, &PluginEntry::hash, &PluginEntry::file,
                  &PluginEntry::build_type, &PluginEntry::optimized, &PluginEntry::error> {};

template <>
struct JsonFields<FileEntry> : JsonMembers<&FileEntry::file, &FileEntry::hash> {};

template <>
struct JsonFields<PickEntry> : JsonMembers<&PickEntry::problem, &PickEntry::mode, &PickEntry::arm,
                                           &PickEntry::composition, &PickEntry::match> {};

template <>
struct JsonFields<PlanEntry>
    : JoinedFields<JsonMembers<&PlanEntry::measure, &PlanEntry::cells,
                               &PlanEntry::estimated_seconds, &PlanEntry::notes>,
                   JsonMembersUnlessEmpty<&PlanEntry::baseline, &PlanEntry::best>> {};

template <>
struct JsonFields<RunTime> {
  static auto list() {
    const auto finite = [](const auto&... fields) { return std::tuple(fields.finite()...); };
    return std::apply(finite, JsonMembers<&RunTime::total_seconds, &RunTime::compile_seconds,
                                          &RunTime::busy_seconds, &RunTime::phase_seconds>::list());
  }
};

template <>
struct JsonFields<GroupEntry>
    : JsonMembers<&GroupEntry::problem, &GroupEntry::mode, &GroupEntry::processes,
                  &GroupEntry::measured_seconds, &GroupEntry::stopped_by, &GroupEntry::precision> {
};

template <>
struct JsonFields<SearchBudget> : JsonMembers<&SearchBudget::seed, &SearchBudget::budget_seconds> {
};

template <>
struct JsonFields<RemovedEntry> : JsonMembers<&RemovedEntry::reason, &RemovedEntry::points> {};

template <>
struct JsonFields<FinalistEntry>
    : JoinedFields<JsonFields<ArmEntry>,
                   JsonMembers<&FinalistEntry::number, &FinalistEntry::searched_gain>> {};

template <>
struct JsonFields<SearchEntry>
    : JoinedFields<
          JsonMembers<&SearchEntry::problem, &SearchEntry::mode, &SearchEntry::baseline,
                      &SearchEntry::points, &SearchEntry::looked_at, &SearchEntry::left,
                      &SearchEntry::removed, &SearchEntry::measured, &SearchEntry::failed,
                      &SearchEntry::whole, &SearchEntry::out_of_time, &SearchEntry::finalists>,
          JsonMembersUnlessEmpty<&SearchEntry::failure, &SearchEntry::together,
                                 &SearchEntry::winner>> {};

template <>
struct JsonFields<AttemptEntry>
    : JoinedFields<JsonMembers<&AttemptEntry::device, &AttemptEntry::shard, &AttemptEntry::time>,
                   JsonMembersUnlessEmpty<&AttemptEntry::status, &AttemptEntry::stopped_because,
                                          &AttemptEntry::started, &AttemptEntry::ended,
                                          &AttemptEntry::host_hash, &AttemptEntry::command_line,
                                          &AttemptEntry::devices, &AttemptEntry::provenance>> {};

template <>
struct JsonFields<ResumeEntry> : JsonMembers<&ResumeEntry::time, &ResumeEntry::command_line> {};

/// All but what has JSON of its own: the claims, the ablation and the space.
template <>
struct JsonFields<Manifest>
    : JoinedFields<
          JsonFields<AttemptEntry>,
          JsonMembers<&Manifest::schema, &Manifest::summary, &Manifest::files, &Manifest::plan,
                      &Manifest::search>,
          JsonMembersUnlessEmpty<
              &Manifest::program_version, &Manifest::git_state, &Manifest::program_hash,
              &Manifest::compiler, &Manifest::name, &Manifest::experiment_file,
              &Manifest::experiment_text, &Manifest::cpu_model, &Manifest::ceilings,
              &Manifest::imported_from, &Manifest::plugins, &Manifest::problems, &Manifest::arms,
              &Manifest::groups, &Manifest::searches, &Manifest::resumed, &Manifest::shards>> {};

ProblemEntry entry_of(const ProblemSpec& spec) {
  const Operator& op = find_operator(spec.op);
  const Traffic traffic = op.traffic(spec.problem);
  return {spec,          describe(spec.problem),      traffic.once(), traffic.gathered,
          traffic.flops, std::string(op.flops_text())};
}

RunTime& RunTime::operator+=(const RunTime& other) {
  total_seconds += other.total_seconds;
  compile_seconds += other.compile_seconds;
  busy_seconds += other.busy_seconds;
  for (const auto& [phase, seconds] : other.phase_seconds) phase_seconds[phase] += seconds;
  return *this;
}

json to_json(const Manifest& manifest) {
  json object = write_json(manifest);
  for (const Claim& claim : manifest.claims) object["claims"].push_back(to_json(claim));
  if (manifest.ablation) object["ablation"] = to_json(*manifest.ablation);
  if (manifest.space) object["space"] = to_json(*manifest.space);
  return object;
}

Manifest manifest_from_json(const json& object) {
  const JsonPlace place("manifest", JsonPlace::kMayLack);
  Manifest manifest;
  read_json(object, place, manifest);
  if (const auto claims = object.find("claims"); claims != object.end()) {
    if (!claims->is_array()) JsonPlace(place, "claims").must_be("a list", *claims);
    for (const json& claim : *claims) manifest.claims.push_back(claim_from_json(claim));
  }
  for (const json& search : object.value("searches", json::array())) {
    for (const char* field : {"problem", "mode", "finalists"}) {
      if (!search.contains(field)) JsonPlace(place, "searches").lacks(field);
    }
  }
  const auto design = object.find("ablation");
  if (design != object.end()) manifest.ablation = design_from_json(*design);
  const auto space = object.find("space");
  if (space != object.end()) manifest.space = space_from_json(*space);
  return manifest;
}

bool same_arms(const Manifest& a, const Manifest& b) {
  return write_json(a.arms) == write_json(b.arms);
}

bool same_problems(const Manifest& a, const Manifest& b) {
  return write_json(a.problems) == write_json(b.problems);
}

Manifest read_manifest_file(const std::filesystem::path& file) {
  const json object = parse_json_or_discard(read_text(file));
  if (object.is_discarded()) {
    throw UsageError(fmt::format("{} is not valid JSON", file.string()));
  }
  try {
    Manifest manifest = manifest_from_json(object);
    if (manifest.schema <= kManifestSchema) return manifest;
    throw_unknown_schema("manifest", manifest.schema, kManifestSchema);
  } catch (UsageError& error) {
    error.add_context(file.string());
    throw;
  }
}

Manifest read_manifest(const std::filesystem::path& directory) {
  const std::filesystem::path file = directory / kManifestFile;
  Manifest manifest = read_manifest_file(file);
  if (manifest.schema == 0) {
    throw UsageError(fmt::format("{} is not the manifest of a run", file.string()));
  }
  if (manifest.schema != kManifestSchema) {
    throw UsageError(fmt::format("{} has schema {}; this program reads schema {}", file.string(),
                                 manifest.schema, kManifestSchema));
  }
  return manifest;
}

void write_manifest(const std::filesystem::path& directory, const Manifest& manifest) {
  write_atomically(directory / kManifestFile, json_text(to_json(manifest), 2) + "\n");
}

}  // namespace msda
