// Joins the results of the shards of one run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace msda {

struct Merged {
  std::size_t records = 0;           ///< cells
  std::vector<std::string> missing;  ///< cells of the plan that no shard has
};

/// Writes to `target`, which is created, the manifest and records of all `shards` together: the
/// manifest of the first, with a list of all of them. Throws UsageError when they are not shards of
/// one run (another experiment, plan, program, set of plugins or device model), when two of them
/// have a cell in common, and when `target` already holds a run.
Merged merge_runs(const std::vector<std::filesystem::path>& shards,
                  const std::filesystem::path& target);

}  // namespace msda
