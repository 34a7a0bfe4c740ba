// What a report says in sentences: the answer, warnings, the headline of each table, how its run
// went.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.hpp"

namespace msda {

/// GPUs with driver, clocks and power limit, the program with its commit, when the run began, in
/// how many processes its groups ran and how it ended; as far as the manifest and the records tell.
std::string context_of(const Report& report);

/// What to quote, over all problems and modes: what the factors bring together and which pay, from
/// effects that are pooled over problems; else which arms are the fastest where, by how much, what
/// is indistinguishable and what the baseline takes; how many cells have no time. "" without
/// tables.
std::string answer(const Report& report);

/// What makes parts of a report worth less than they look, one sentence each: a run that is not
/// complete, cells of its plan that have no record, plugins that were built without optimization,
/// arms that are wrong or faster than the device can be, a baseline that differs from itself.
std::vector<std::string> warnings_of(const Report& report);

/// One to three sentences: which arm is the fastest, by how much and how sure; how far the next one
/// is; how many arms have no time.
std::string headline(const Table& table);

/// " A does a part of its work outside the timed part: with that part 0.5x the speed of the
/// baseline.": `ratio` is "0.5x", or "" where none is known.
std::string outside_sentence(const std::string& arm, const std::string& ratio);

/// What all factors together bring and how sure that is; which factors pay, by how much, the best
/// first; which cost, make no difference or stay undecided; the strongest interaction.
std::string headline(const AblationTable& table);

/// The same over all problems, one after the other mode: "" where nothing can be estimated.
std::string effects_answer(const Ablation& ablation);

/// How effects of a kind look at a factor: "alone on the base".
std::string_view view_of(EffectKind kind);

/// Wall-clock seconds of a run's workers, those of several devices added up.
struct TimeAccount {
  double after_compilation = 0;  ///< everything but compiling
  double busy = 0;               ///< in the phases that verify or measure, with all that they do

  double share() const { return after_compilation > 0 ? busy / after_compilation : 0; }
};

/// Absent where the manifest does not tell.
std::optional<TimeAccount> time_account(const Manifest& manifest);

/// The account as a sentence; "" without one.
std::string time_sentence(const Manifest& manifest);

/// How many processes a table's arms ran in and why no more, from the manifest; "" where it does
/// not tell.
std::string stop_sentence(const Manifest& manifest, const Table& table);

/// How many blocks of samples were taken while clocks were held back, and why; "" when none was.
std::string throttle_sentence(const Table& table);

/// Which arms left threads running that took processors from others; "" when none did.
std::string threads_sentence(const Table& table);

/// Of which outputs elements lie beside knots, and how many at most; "" when none do.
std::string knots_sentence(const Table& table);

/// One or two sentences on it; a warning where the baseline differs from itself.
std::string noise_sentence(const NoiseFloor& floor);

/// What a run says of a table: how it ended, where it was throttled, what showed in no arm.
std::vector<std::string> run_remarks(const Manifest& manifest, const Table& table);

}  // namespace msda
