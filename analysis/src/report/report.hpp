// Records in, what they say out: tables, claims and effects. Reads results only: nothing here runs
// a kernel.
#pragma once

#include <filesystem>
#include <optional>
#include <ranges>
#include <vector>

#include "ablation/ablation.hpp"
#include "ablation/regimes.hpp"
#include "claims/claims.hpp"
#include "counters/counter_tables.hpp"
#include "results/run_data.hpp"
#include "statistics/table.hpp"
#include "timeline/timeline.hpp"
#include "tuning/landscape.hpp"

namespace msda {

struct Report {
  Manifest manifest;
  std::vector<Table> tables;
  std::vector<CheckedClaim> claims;    ///< none where no cell has finished
  std::optional<Ablation> ablation;    ///< of an experiment with factors
  std::vector<RegimeTable> regimes;    ///< of problems measured in more than one mode
  std::vector<SearchReport> searches;  ///< of `msda tune`
  std::vector<CounterTable> counters;  ///< of `msda profile`
  std::optional<Timeline> timeline;    ///< of runs that recorded when they did what
};

/// Those of all tables, one after the other.
inline auto rows_of(const Report& report) {
  return report.tables | std::views::transform(&Table::rows) | std::views::join;
}

/// Of the run in a directory or an archive. Throws UsageError as read_run() does.
Report make_report(const std::filesystem::path& place);
Report make_report(RunData run);

/// The same from memory: one record for each cell. Every field of the manifest is optional; its
/// "arms" give the order of the rows. `trials` are those of a search, `kernels` what a profiler
/// counted.
Report make_report(Manifest manifest, std::vector<Record> records,
                   const std::vector<SearchTrial>& trials = {},
                   const std::vector<KernelCounters>& kernels = {});

}  // namespace msda
