#include "report/report.hpp"

#include <set>
#include <string>
#include <utility>

#include "results/manifest.hpp"

namespace msda {
namespace {

/// Every process counts as planned where the manifest does not say how many were.
PlannedProcesses planned_in(const Manifest& manifest) {
  if (!manifest.plan.measure) return {};
  return {manifest.plan.measure->processes};
}

std::vector<std::string> arms_of(const Manifest& manifest) {
  std::vector<std::string> names;
  for (const ArmEntry& arm : manifest.arms) names.push_back(arm.name);
  return names;
}

/// An arm that names no variant, as one of `use: best`, is about no mechanism: what a search found
/// is measured for its time, whatever of it has nothing to do.
void forget_evidence_of_unnamed(const Manifest& manifest, std::vector<Record>& records) {
  std::set<std::string> unnamed;
  for (const ArmEntry& arm : manifest.arms) {
    if (arm.uses.empty()) unnamed.insert(arm.name);
  }
  for (Record& record : records) {
    if (unnamed.contains(record.arm)) record.evidence.reset();
  }
}

MemoryFacts memory_in(const Manifest& manifest) {
  MemoryFacts memory;
  if (!manifest.ceilings.is_null()) memory.ceilings = ceilings_from_json(manifest.ceilings);
  if (manifest.device) memory.l2_bytes = manifest.device->l2_bytes;
  return memory;
}

}  // namespace

Report make_report(Manifest manifest, std::vector<Record> records,
                   const std::vector<SearchTrial>& trials,
                   const std::vector<KernelCounters>& kernels) {
  Report report;
  if (manifest.space) report.searches = make_search_reports(manifest, trials, records);
  forget_evidence_of_unnamed(manifest, records);
  report.tables = make_tables(std::move(records),
                              {arms_of(manifest), memory_in(manifest), planned_in(manifest)});
  if (manifest.ablation) report.ablation = make_ablation(*manifest.ablation, report.tables);
  report.regimes = compare_regimes(report.tables);
  report.counters = make_counter_tables(
      kernels, {arms_of(manifest), "", &report.tables,
                report.ablation ? &*report.ablation : nullptr, nullptr, &manifest});
  if (!report.tables.empty()) {
    report.claims = check_claims(manifest, report.tables, report.counters);
  }
  report.manifest = std::move(manifest);
  return report;
}

Report make_report(RunData run) {
  Report report =
      make_report(std::move(run.manifest), std::move(run.records), run.trials, run.counters);
  report.timeline = make_timeline(run.ranges);
  return report;
}

Report make_report(const std::filesystem::path& place) { return make_report(read_run(place)); }

}  // namespace msda
