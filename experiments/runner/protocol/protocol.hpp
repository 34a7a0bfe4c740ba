// What a run and its worker process say to each other: one JSON object a line, requests down,
// events up. Arms, problems and settings are as in manifest.json.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "facts/arm.hpp"
#include "facts/measure_settings.hpp"
#include "facts/problem_spec.hpp"
#include "results/record.hpp"

namespace msda {

/// One group as the worker is asked to run it.
struct GroupRequest {
  std::string experiment;
  ProblemSpec problem;
  TimingMode mode = kUsualMode;
  std::vector<ArmEntry> arms;
  std::string baseline;
  MeasureSettings measure;  ///< modes, processes and time-outs are the parent's business
  int process = 0;          ///< recorded with each sample; also salts the inputs' seeds
  bool verified = true;     ///< false: neither run nor timed; evidence alone
  bool timed = true;        ///< false: verify only
  bool profiled = false;    ///< launch each arm once more for the profiler around the worker
  /// Ask whether what the arms are about shows when their threads are counted (docs/evidence.md).
  bool evidence = false;
  /// Compile arm by arm, each under its own name, so that a compiler's crash shows whose it is.
  bool separately = false;
  /// Of a search: losers stop early, as long as so many candidates stay (losers(),
  /// group_runner.hpp); 0: all run all blocks. Who has stopped is verified before its samples and
  /// not again after them.
  int keep = 0;
};

/// Kinds of events, in their "event" field.
namespace event {
inline constexpr const char* kReady = "ready";          ///< device open, plugins loaded; once
inline constexpr const char* kPhase = "phase";          ///< cell, phase, range
inline constexpr const char* kHeartbeat = "heartbeat";  ///< sign of life: cell, phase, range
inline constexpr const char* kKnown = "known";          ///< a cell's record so far, without samples
inline constexpr const char* kCompiled = "compiled";    ///< done, count, from_cache, seconds
inline constexpr const char* kVacuous = "vacuous";      ///< cell, missing: known once it compiled
inline constexpr const char* kSample = "sample";        ///< one arm's samples of one block
inline constexpr const char* kRecord = "record";        ///< a cell ended
inline constexpr const char* kDone = "done";            ///< the group ended
inline constexpr const char* kBroken = "broken";        ///< the device is unusable; the worker ends
inline constexpr const char* kError = "error";          ///< the worker could not start
}  // namespace event

/// Fills in which cell of the group the arm's record is of, and what its problem needs at least.
void identify(Record& record, const GroupRequest& request, const ArmEntry& arm,
              const std::string& device, int process);

nlohmann::json to_json(const GroupRequest& request);

/// Both sides are the same program, so these trust the text: a malformed one throws Error.
GroupRequest group_request_from_json(const nlohmann::json& json);

/// What marks a worker's events, a line each: the worker gets it as its first line, and puts it in
/// front of each of its own.
std::string make_token();
nlohmann::json token_message(const std::string& token);
/// The event of a line; nullopt for one that is not the worker's.
std::optional<nlohmann::json> event_of(const std::string& line, const std::string& token);

}  // namespace msda
