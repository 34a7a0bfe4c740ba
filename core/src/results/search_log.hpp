// search.jsonl: every trial of a search, with what became of its candidates; one JSON line for each
// trial, written when it has ended. From it a search goes on after an interruption, and its
// landscape is drawn.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "facts/timing_mode.hpp"

namespace msda {

inline constexpr const char* kSearchFile = "search.jsonl";

/// One candidate of one trial.
struct SearchedCandidate {
  std::uint64_t number = 0;  ///< a point's of the space; from its size on a known arm's
  std::string name;          ///< "c417", "fastest"
  std::string failure;       ///< why it has no time; or ""
  double relative_l2 = 0;
  double seconds = 0;        ///< median of its samples; 0 without a time
  std::vector<double> logs;  ///< log(its time / the baseline's time) of each block it ran
};

struct SearchTrial {
  std::string problem;
  TimingMode mode = kUsualMode;
  int number = 0;               ///< counts the trials of a problem in a mode from 0
  std::string stage;            ///< "screen", "refine" ...
  double seconds = 0;           ///< wall clock from the beginning of the search to the trial's end
  double baseline_seconds = 0;  ///< median of its samples in this trial
  std::vector<SearchedCandidate> candidates;
};

nlohmann::json to_json(const SearchTrial& trial);
/// Throws UsageError naming the missing or ill-typed field.
SearchTrial search_trial_from_json(const nlohmann::json& json);

/// In the order in which they ended; a torn last line is ignored, and a file that is not there has
/// none. Throws UsageError with file and line for anything else that is broken.
std::vector<SearchTrial> read_search(const std::filesystem::path& file);

/// Appends a line and has it on the disk before it returns; a torn last line that an interrupted
/// writer left is cut off first. Throws EnvironmentError.
void append_search(const std::filesystem::path& file, const SearchTrial& trial);

/// Writes a file of these trials, all at once. Throws EnvironmentError.
void write_search(const std::filesystem::path& file, const std::vector<SearchTrial>& trials);

}  // namespace msda
