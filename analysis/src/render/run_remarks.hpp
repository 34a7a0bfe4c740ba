// What a run says of itself beside its tables: how its time was spent, why its processes ended, and
// where the device held its clocks back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "statistics/noise_floor.hpp"

namespace msda {

/// Wall-clock seconds of a run's workers, those of several devices added up.
struct TimeAccount {
  double after_compilation = 0;  ///< everything but compiling
  double busy = 0;               ///< in the phases that verify or measure, with all that they do

  double share() const { return after_compilation > 0 ? busy / after_compilation : 0; }
};

/// Absent where the manifest does not tell.
std::optional<TimeAccount> time_account(const nlohmann::json& manifest);

/// The account as a sentence; "" without one.
std::string time_sentence(const nlohmann::json& manifest);

/// How many processes a table's arms ran in and why no more, from the manifest; "" where it does
/// not tell.
std::string stop_sentence(const nlohmann::json& manifest, const Table& table);

/// How many blocks of samples were taken while clocks were held back, and why; "" when none was.
std::string throttle_sentence(const Table& table);

/// Which optimizations show in no arm, though all have them; "" when there is none.
std::string idle_sentence(const Table& table);

/// One or two sentences on it; a warning where the baseline differs from itself.
std::string noise_sentence(const NoiseFloor& floor);

/// What a run says of a table: how it ended, where it was throttled, what showed in no arm.
std::vector<std::string> run_remarks(const nlohmann::json& manifest, const Table& table);

}  // namespace msda
