// The steps that a cell goes through inside the worker, by name, and how long each may be silent.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>

#include "facts/measure_settings.hpp"

namespace msda {

/// Names of phases in events, ranges, records and manifests.
namespace phase {
inline constexpr const char* kStart = "start";  ///< of the process, until its device is open
inline constexpr const char* kCheck = "check";
inline constexpr const char* kCompile = "compile";
inline constexpr const char* kInputs = "inputs and references";
inline constexpr const char* kPrepare = "prepare";
inline constexpr const char* kVerify = "verify";
inline constexpr const char* kEvidence = "evidence";
inline constexpr const char* kMeasure = "measure";
inline constexpr const char* kMeasureParts = "measure parts";
inline constexpr const char* kEnergy = "energy";    ///< of launches that follow one another
inline constexpr const char* kProfile = "profile";  ///< launches for a profiler
inline constexpr const char* kVerifyAgain = "verify again";
inline constexpr const char* kCheckTime = "check time";
inline constexpr const char* kTeardown = "teardown";
inline constexpr const char* kBetween = "between";  ///< no request is at work
}  // namespace phase

/// The longest silence in a phase.
std::chrono::duration<double> time_limit(const Timeouts& timeouts, std::string_view phase);

/// Whether arms are verified or measured in this phase, with all that this takes: comparisons,
/// flushes, checks.
bool is_busy(std::string_view phase);

/// Adds up the wall-clock time spent in each phase; in one phase at a time.
class PhaseTimes {
 public:
  /// Ends the phase that was going on and begins another; "" begins none.
  void enter(const std::string& phase);
  /// Of the phases that have ended.
  const std::map<std::string, double>& seconds() const { return seconds_; }

 private:
  std::string phase_;
  std::chrono::steady_clock::time_point since_;
  std::map<std::string, double> seconds_;
};

}  // namespace msda
