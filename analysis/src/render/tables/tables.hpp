// The tables of a report as sections, each of which points into what it is of; and the columns that
// files have as well.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "render/columns.hpp"
#include "render/section.hpp"

namespace msda {

/// The arms of one problem in one mode, with what the manifest says of how they were measured.
Section cell_section(const Table& table, const Manifest& manifest = {});
const ColumnsOf<Row>& cell_columns();

/// Effects of each problem and over problems; empty without them.
std::vector<Section> effect_sections(const Report& report);

struct EffectLine {
  const AblationTable& table;
  const EffectFamily& family;
  const Effect& effect;
};
const ColumnsOf<EffectLine>& effect_columns();
const ColumnsOf<PooledEffect>& pooled_columns();

/// A row for each value of a sweep with the arm that is the fastest; nullopt where the problems are
/// no sweep.
std::optional<Section> sweep_section(const Report& report);

/// One for each problem that was measured in several modes.
std::vector<Section> regime_sections(const Report& report);

/// A row for each cell whose parts were timed; nullopt when there is none. The verdict is on the
/// main kernel alone.
std::optional<Section> prepass_section(const Report& report);

/// Of the process that counted energy; nullopt where none did.
std::optional<PowerDraw> power_of(const Record& record);

/// A row for each problem and mode whose arms' energy was counted, with what a launch of each arm
/// draws, and at which clock; nullopt when there is none.
std::optional<Section> energy_section(const Report& report);

/// A row for each output of each cell that has several; nullopt when there is none.
std::optional<Section> output_section(const Report& report);

/// For each table of counters why the factors pay (of an ablation), why the arms differ from the
/// baseline, what was counted, and the bytes that the arms declare.
std::vector<Section> counter_sections(const std::vector<CounterTable>& tables);

/// What the counters of a run say in one line: what bounds the baseline and the arm that was the
/// fastest under the profiler; "" without counters.
std::string counters_sentence(const std::vector<CounterTable>& tables);

/// A row for each problem and mode with counters: of the arm whose counted launch took the least
/// time what the samples say (median, % SOL), and how busy it kept what could bound it. nullopt
/// where counters are of fewer than two problems: the table of counters says it then.
std::optional<Section> limits_section(const Report& report);

/// Of each problem and mode that was searched the finalists as searched and as confirmed, and what
/// each level of each factor was worth.
std::vector<Section> search_sections(const Report& report);
const ColumnsOf<FinalistResult>& finalist_columns();

/// The claims of all reports, one after the other, with a column for the run where there are
/// several. nullopt without a claim.
std::optional<Section> claims_section(std::span<const Report> reports);
const ColumnsOf<CheckedClaim>& claim_columns();

/// A row for each cell of an arm with `use: best`: the composition that it stands for, as a
/// footnote because those are long, and how near the problem of the search that found it is.
/// nullopt when the run has no such arm.
std::optional<Section> best_section(const Report& report);

/// A row for each use of time.
Section timeline_section(const Timeline& timeline);

}  // namespace msda
