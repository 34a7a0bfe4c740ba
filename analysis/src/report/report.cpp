#include "report/report.hpp"

#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <msda/error.hpp>

#include "ablation/make_ablation.hpp"

namespace msda {
namespace {

double number_or_zero(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0.0;
}

/// Zero where the manifest does not say.
Ceilings ceilings_of(const nlohmann::json& manifest) {
  const auto found = manifest.find("ceilings");
  if (found == manifest.end() || !found->is_object()) return {};
  return {number_or_zero(*found, "dram_bytes_per_second"),
          number_or_zero(*found, "gather_bytes_per_second")};
}

/// The arms' names, as far as the manifest tells.
std::vector<std::string> arms_of(const nlohmann::json& manifest) {
  std::vector<std::string> names;
  const auto arms = manifest.find("arms");
  if (arms == manifest.end() || !arms->is_array()) return names;
  for (const nlohmann::json& arm : *arms) {
    if (!arm.is_object()) continue;
    const auto name = arm.find("name");
    if (name != arm.end() && name->is_string()) names.push_back(name->get<std::string>());
  }
  return names;
}

nlohmann::json read_manifest(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw UsageError(fmt::format("cannot read {}", file.string()));
  nlohmann::json manifest;
  try {
    manifest = nlohmann::json::parse(stream);
  } catch (const nlohmann::json::parse_error& error) {
    throw UsageError(fmt::format("{} is not valid JSON: {}", file.string(), error.what()));
  }
  if (!manifest.is_object()) {
    throw UsageError(fmt::format("{} holds {} where an object was expected", file.string(),
                                 manifest.type_name()));
  }
  return manifest;
}

}  // namespace

Report make_report(nlohmann::json manifest, std::vector<Record> records) {
  Report report;
  report.tables = make_tables(std::move(records), {arms_of(manifest), ceilings_of(manifest)});
  if (!report.tables.empty()) report.claims = check_claims(manifest, report.tables);
  if (const auto design = manifest.find("ablation"); design != manifest.end()) {
    report.ablation = make_ablation(design_from_json(*design), report.tables);
  }
  report.regimes = compare_regimes(report.tables);
  report.manifest = std::move(manifest);
  return report;
}

Report make_report(const std::filesystem::path& directory) {
  if (!std::filesystem::is_directory(directory)) {
    throw UsageError(fmt::format("{} is not a directory; expected one that `msda run` wrote",
                                 directory.string()));
  }
  for (const char* name : {"manifest.json", "records.jsonl"}) {
    if (!std::filesystem::exists(directory / name)) {
      throw UsageError(fmt::format("{} has no {}; expected a directory that `msda run` wrote",
                                   directory.string(), name));
    }
  }
  return make_report(read_manifest(directory / "manifest.json"),
                     read_records(directory / "records.jsonl"));
}

}  // namespace msda
