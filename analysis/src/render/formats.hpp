// A report as text, in every form that there is.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "report/compare.hpp"
#include "report/report.hpp"

namespace msda {

inline constexpr int kReportSchema = 1;
inline constexpr std::size_t kPageLines = 60;

std::string to_terminal(const Report& report, bool colour);
std::string to_markdown(const Report& report);
/// The page of docs/results: folded() to kPageLines lines of tables.
std::string to_page(const Report& report);
/// What the terminal says first, without colours: the answer, and what every arm is worth.
std::string to_answer(const Report& report);
/// One line for each cell (RFC 4180, header line, CRLF); seconds, bytes and operations without
/// prefixes; an absent number is an empty field.
std::string to_csv(const Report& report);
/// The claims in the same form, one line for each check; speedups as ratios, times in seconds, the
/// speed of light as a share.
std::string to_claims_csv(const Report& report);
/// One line for each block of samples, in the same form: count, median, mean, least and largest.
std::string to_samples_csv(const Report& report);
/// One page that needs no other file and no network: the answer in words, sortable tables, figures.
std::string to_html(const Report& report);
/// One booktabs table for each table of the report, to be included in a document.
std::string to_latex(const Report& report);
/// Arms against problems and factors against problems, each no wider than \textwidth: the tables
/// that a paper prints.
std::string to_paper(const Report& report);
/// {"schema": kReportSchema, "manifest": ..., "tables": [{problem, mode, headline, noise_floor,
/// rows}], "claims": [{claim, problem, mode, measured, measured_95, verdict, reason}], "ablation":
/// ..., "regimes": ..., "searches": ..., "counters": [{problem, mode, device, tool, arms, why,
/// factors}], "timeline": {seconds, uses, strips}}; rows and claims on lines of their own; samples
/// stay in records.jsonl.
std::string to_json(const Report& report);

/// One line for each effect of each problem and mode, in the same form.
std::string effects_to_csv(const Ablation& ablation);

/// report.html, report.md, report.csv, report.json, tables.tex, paper.tex and records.csv in
/// `directory`, with claims.csv and effects.csv where there are claims and an ablation, each
/// written atomically.
void write_report(const Report& report, const std::filesystem::path& directory);

/// What became of each cell from one run to the next: a table of all cells for the terminal.
std::string to_text(const std::vector<CellChange>& changes, double threshold);
/// The same as JUnit XML: a test case for each cell, failed when it is worse, skipped when nothing
/// is known.
std::string to_junit(const std::vector<CellChange>& changes);

}  // namespace msda
