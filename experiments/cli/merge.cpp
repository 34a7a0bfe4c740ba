#include "runner/supervise/merge.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/program.hpp"

namespace msda {

int merge_command(const std::vector<std::string>& words) {
  Arguments arguments({"merge --output DIR SHARD...",
                       "Joins the results of 'msda run --shard 1/n' to 'n/n' in DIR and makes the "
                       "report of the whole run. Shards that are missing, or did not get to their "
                       "end, leave cells out: they are named.",
                       "  msda merge --output results/all results/shard-*\n",
                       "0 every cell of the plan is there; 1 some are missing; 2 wrong usage, or "
                       "these are not shards of one run; 3 DIR cannot be written"});
  arguments.option("output", "DIR", "where the merged results go; required");
  arguments.words("SHARD", 1, -1);
  if (!arguments.parse(words)) return 0;
  const std::optional<std::string> output = arguments.find("output");
  if (!output) throw UsageError("merge: give --output DIR");
  const Merged merged = merge_runs({arguments.words().begin(), arguments.words().end()}, *output);
  for (const std::string& missing : merged.missing) fmt::print(stderr, "missing: {}\n", missing);
  report_on(*output);
  return static_cast<int>(merged.missing.empty() ? ExitCode::kOk : ExitCode::kCellFailed);
}

}  // namespace msda
