// What a publication says of an arm: written in an experiment's file, kept in its manifest, checked
// by the report.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "facts/timing_mode.hpp"
#include "names.hpp"

namespace msda {

/// The numbers that a claim is compatible with; 0 or infinity where it has one end only.
struct ClaimedRange {
  double low = 0;
  double high = 0;
};

struct Claim {
  enum class Quantity {
    kSpeedup,       ///< time(over) / time(arm)
    kTime,          ///< seconds
    kThroughput,    ///< operations per second, counted as Problem::flops() does
    kBandwidth,     ///< bytes per second: the least traffic that the problem needs
    kIntensity,     ///< operations for each of these bytes
    kSpeedOfLight,  ///< share of what the device's ceilings allow
    kError,         ///< relative L2 error against the float64 reference
    kCounter,       ///< what a profiler counted of `metric` in the arm's main kernel
    kOutcome,       ///< how the arm ends: the name of a status, or kIdentical
    kNotTestable,   ///< nothing that a run measures
  };

  /// What the same source measured of another arm on the same GPU, in the same quantity.
  struct Reference {
    std::string arm;
    std::string value;  ///< as written
    ClaimedRange range;
  };

  std::string text;                ///< what is claimed, in words
  std::string source;              ///< by whom
  std::vector<std::string> arms;   ///< the best of them; mostly there is one
  std::vector<std::string> over;   ///< the fastest of these; empty: the baseline
  std::string problem;             ///< "": every problem
  std::optional<TimingMode> mode;  ///< absent: warm where it was measured, else the first mode
  Quantity quantity = Quantity::kNotTestable;
  std::string metric;       ///< of kCounter the profiler's name, "dram__bytes.sum"
  std::string value;        ///< as written, "4.4x"; of kNotTestable the reason
  ClaimedRange range;       ///< of `value`; unused for kOutcome and kNotTestable
  std::string measured_on;  ///< the source's GPU, as a part of its name; "": not said
  std::optional<Reference> against;
  std::string note;  ///< shown with the verdict
  /// Why the source's figure is of something else than what the arm computes: a measured number is
  /// shown, and no verdict made of it. "" for all others.
  std::string not_comparable;
  /// Why the figure is an expectation and not a measurement: a measured number is shown, with where
  /// it lies, and confirms or refutes nothing that was measured. "" for all others.
  std::string estimate;
  /// Conditions that its arms must meet beside those of their variants.
  std::vector<std::string> evidence;
  /// Why a run on its device cannot test what others could; "" when it can.
  std::string left_out;

  /// The outcome of arms whose outputs have the bits of the output of `over`.
  static constexpr std::string_view kIdentical = "identical";
  bool is_of_identity() const { return quantity == Quantity::kOutcome && value == kIdentical; }

  /// "a", or "best of a, b"
  std::string arm_text() const;
  /// "a", or "the fastest of a, b"; "" for the baseline
  std::string over_text() const;
};

/// What kind of number a quantity is: how it is written, judged and shown follow from that.
enum class ClaimedKind {
  kRatio,          ///< "1.6x", "+5.3%"
  kSeconds,        ///< less is better
  kOperationRate,  ///< operations per second
  kByteRate,       ///< bytes per second
  kIntensity,      ///< operations for each byte, the same in every run
  kShare,          ///< "85%"
  kError,          ///< "2e-4", the same in every run
  kCount,          ///< of a profiler's metric
  kNoNumber
};

/// What there is to know of a quantity; `name` is its key in YAML. One of a kind that there is
/// already is an enumerator, a row here, and a line where it is measured (claims/measured.cpp).
struct ClaimedQuantity {
  Claim::Quantity quantity;
  ClaimedKind kind;
  std::string_view name;
  std::string_view form;     ///< what may stand at the key, in words, with examples
  std::string_view meaning;  ///< in words
  /// A figure of one GPU, which says nothing of another one.
  bool is_absolute = false;
};

/// All of them, in the order in which people read of them.
std::span<const ClaimedQuantity> claimed_quantities();
const ClaimedQuantity& describe(Claim::Quantity quantity);

/// Regular expression of what may stand at the key (of kCounter at its metric), as JSON Schema has
/// them; "" for any text. It takes zeros and ranges upside down, which parse_claimed() refuses.
std::string claimed_pattern(Claim::Quantity quantity);

/// "speedup", "time", ..., "not-testable"
std::string_view name_of(Claim::Quantity quantity);

template <>
struct Named<Claim::Quantity> {
  using Q = Claim::Quantity;
  static constexpr const char* kWhat = "quantity of claims";
  static constexpr std::array kValues = {
      Q::kSpeedup,      Q::kTime,  Q::kThroughput, Q::kBandwidth, Q::kIntensity,
      Q::kSpeedOfLight, Q::kError, Q::kCounter,    Q::kOutcome,   Q::kNotTestable};
};

/// The numbers that a text in the quantity's form stands for: a single one for all that round to it
/// in the digits written, a range as it is, "at most 2x" and "at least 2x" for one with one end.
/// Speedups are ratios of times, times seconds, rates without prefixes, shares and errors plain
/// numbers, counters as the profiler has them in base units, shares of them in percent. For
/// kOutcome and kNotTestable the range is empty. Throws UsageError.
ClaimedRange parse_claimed(Claim::Quantity quantity, std::string_view text);

nlohmann::json to_json(const Claim& claim);
/// Throws UsageError for a field that is missing or wrong.
Claim claim_from_json(const nlohmann::json& object);

}  // namespace msda
