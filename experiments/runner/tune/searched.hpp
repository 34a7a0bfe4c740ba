// How the search of one problem in one mode ended, as the manifest has it, and the winner that
// follows from it and the confirmation's records.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/manifest.hpp"
#include "results/record.hpp"
#include "runner/experiment/winners.hpp"
#include "runner/tune/candidates.hpp"
#include "runner/tune/search.hpp"

namespace msda {

/// Of no problem and mode yet.
SearchEntry search_entry(const std::string& baseline, const Candidates& candidates,
                         const SearchEnd& end);

/// What a winner is called and found by.
struct FoundBy {
  DeviceInfo device;
  double error = 0;  ///< largest relative L2 error that was allowed
  double worst = 0;  ///< SpaceSpec::worst
  std::string date;
  std::string command;
  std::string program;
};

/// `records` are the confirmation's on each of `problems`. The baseline, an arm of `arms`, where no
/// finalist is confirmed to be faster, or those that are lose more than `worst` on some problem of
/// several; nullopt when the baseline has no time.
std::optional<Winner> winner_of(const SearchEntry& searched,
                                const std::vector<ProblemSpec>& problems,
                                const std::vector<Arm>& arms,
                                const std::vector<std::vector<Record>>& records,
                                const FoundBy& found_by);

}  // namespace msda
