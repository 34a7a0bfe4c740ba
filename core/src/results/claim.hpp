// What a publication says of an arm: written in an experiment's file, kept in its manifest, checked
// by the report.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "facts/timing_mode.hpp"

namespace msda {

/// The numbers that a claim is compatible with.
struct ClaimedRange {
  double low = 0;
  double high = 0;
};

struct Claim {
  enum class Quantity {
    kSpeedup,       ///< time(over) / time(arm)
    kTime,          ///< seconds
    kSpeedOfLight,  ///< share of what the device's ceilings allow
    kNotTestable,   ///< nothing that a run measures
  };

  std::string text;    ///< what is claimed, in words
  std::string source;  ///< by whom
  std::string arm;
  std::string over;                ///< the arm it is compared with; "": the baseline
  std::string problem;             ///< "": every problem
  std::optional<TimingMode> mode;  ///< absent: warm where it was measured, else the first mode
  Quantity quantity = Quantity::kNotTestable;
  std::string value;   ///< as written, "4.4x"; of kNotTestable the reason
  ClaimedRange range;  ///< of `value`; unused for kNotTestable
  std::string note;    ///< shown with the verdict
  /// Why a run on its device cannot test what others could; "" when it can.
  std::string left_out;
};

/// "speedup", "time", "speed-of-light", "not-testable"
std::string_view name_of(Claim::Quantity quantity);

/// "4.4x", "0.31", "+5.3%", "-2.1%", or a range "1.2..1.3x", "+20..30%", as a ratio of times. A
/// single number stands for all that round to it in the digits written; a range is taken as it is.
/// Throws UsageError.
ClaimedRange parse_claimed_speedup(std::string_view text);
/// "724 us", "0.7..0.8 ms" in seconds. Throws UsageError.
ClaimedRange parse_claimed_time(std::string_view text);
/// "85%", "80..90%" as a share. Throws UsageError.
ClaimedRange parse_claimed_share(std::string_view text);

nlohmann::json to_json(const Claim& claim);
/// Throws UsageError for a field that is missing or wrong.
Claim claim_from_json(const nlohmann::json& object);

}  // namespace msda
