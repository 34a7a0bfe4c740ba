#include "report.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <msda/error.hpp>

#include "ablation/make_ablation.hpp"
#include "parallel.hpp"

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

std::optional<double> speed_of_light(const Record& record, const Ceilings& ceilings,
                                     double seconds) {
  if (ceilings.dram_bytes_per_second <= 0 || ceilings.gather_bytes_per_second <= 0) return {};
  const double dram =
      static_cast<double>(record.minimum_dram_bytes) / ceilings.dram_bytes_per_second;
  const double gather =
      static_cast<double>(record.gathered_bytes) / ceilings.gather_bytes_per_second;
  return std::max(dram, gather) / seconds;
}

std::string verdict_of(const Record& record, bool is_baseline,
                       const std::optional<RatioEstimate>& speedup) {
  if (record.status != CellStatus::kOk) return std::string(name_of(record.status));
  if (record.samples.empty()) return "right";
  if (is_baseline) return "baseline";
  return std::string(name_of(speedup ? classify(*speedup) : Difference::kUndecided));
}

/// All but the record itself. `baseline` is null when the table's baseline has no time.
Row make_row(const Record& record, const Record* baseline, const Ceilings& ceilings) {
  Row row;
  const bool is_baseline = &record == baseline;
  std::optional<RatioEstimate> speedup;
  if (record.status == CellStatus::kOk) {
    row.median_seconds = median_seconds(record.samples).value_or(0);
    if (baseline != nullptr && !is_baseline) {
      speedup = estimate_ratio(baseline->samples, record.samples);
    }
  }
  row.repeats_baseline =
      baseline != nullptr && !is_baseline && record.composition == baseline->composition;
  row.verdict = verdict_of(record, is_baseline, speedup);
  if (!row.timed()) return row;
  if (speedup) {
    row.speedup = speedup->ratio;
    row.speedup_95 = speedup->interval_95;
    row.replication = speedup->replication;
    row.replicates = speedup->replicates;
  } else if (is_baseline) {
    row.speedup = 1.0;
  }
  row.dram_bytes_per_second = static_cast<double>(record.minimum_dram_bytes) / row.median_seconds;
  row.flops_per_second = static_cast<double>(record.flops) / row.median_seconds;
  row.speed_of_light = speed_of_light(record, ceilings, row.median_seconds);
  row.prepasses = split_prepasses(record, baseline);
  return row;
}

/// The arms in the experiment's order, as far as the manifest tells. Records come in the order in
/// which cells ended, and an arm that fails ends before those that are measured.
std::unordered_map<std::string, std::size_t> arm_places(const nlohmann::json& manifest) {
  std::unordered_map<std::string, std::size_t> places;
  const auto arms = manifest.find("arms");
  if (arms == manifest.end() || !arms->is_array()) return places;
  for (const nlohmann::json& arm : *arms) {
    if (!arm.is_object()) continue;
    const auto name = arm.find("name");
    if (name != arm.end() && name->is_string())
      places.emplace(name->get<std::string>(), places.size());
  }
  return places;
}

/// Takes the records' contents.
Table make_table(std::vector<Record*> records,
                 const std::unordered_map<std::string, std::size_t>& places,
                 const Ceilings& ceilings) {
  // The baseline first, arms that the manifest does not know last.
  const auto place = [&places](const Record* record) {
    if (record->baseline) return std::size_t{0};
    const auto found = places.find(record->arm);
    return 1 + (found == places.end() ? places.size() : found->second);
  };
  std::stable_sort(records.begin(), records.end(),
                   [&](const Record* a, const Record* b) { return place(a) < place(b); });
  const Record* first = records.front();
  const bool has_baseline = first->baseline && first->status == CellStatus::kOk;
  Table table{first->problem, first->mode, {}, ceilings};
  for (const Record* record : records) {
    table.rows.push_back(make_row(*record, has_baseline ? first : nullptr, ceilings));
  }
  for (std::size_t i = 0; i < records.size(); ++i)
    table.rows[i].record = std::move(*records[i]);  // only now: the rows above look at the first
  return table;
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

struct ReportFile {
  const char* name;
  std::string (*text)(const Report& report);
};

}  // namespace

Report make_report(nlohmann::json manifest, std::vector<Record> records) {
  const Ceilings ceilings = ceilings_of(manifest);
  const auto places = arm_places(manifest);
  std::vector<std::vector<Record*>> groups;
  std::map<std::pair<std::string_view, TimingMode>, std::size_t> index;
  for (Record& record : records) {
    const auto [found, is_new] = index.try_emplace({record.problem, record.mode}, groups.size());
    if (is_new) groups.emplace_back();
    groups[found->second].push_back(&record);
  }
  Report report;
  for (auto& group : groups)
    report.tables.push_back(make_table(std::move(group), places, ceilings));
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

void write_report(const Report& report, const std::filesystem::path& directory) {
  // The longest first: they are written at the same time.
  std::vector<ReportFile> files = {{"report.json", to_json}, {"records.csv", to_samples_csv},
                                   {"report.html", to_html}, {"tables.tex", to_latex},
                                   {"report.csv", to_csv},   {"report.md", to_markdown}};
  if (!report.claims.empty()) files.push_back({"claims.csv", to_claims_csv});
  if (report.ablation) {
    files.push_back({"effects.csv", [](const Report& r) { return effects_to_csv(*r.ablation); }});
  }
  parallel_for(std::ssize(files), 1, 0, [&](std::int64_t begin, std::int64_t) {
    const auto& [name, text] = files[static_cast<std::size_t>(begin)];
    write_atomically(directory / name, text(report));
  });
}

}  // namespace msda
