#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/tables/matrix.hpp"
#include "render/tables/tables.hpp"
#include "render/text/text.hpp"
#include "render/words/words.hpp"

namespace msda {
namespace {

/// What there is to say of a row beside its numbers, with its footnotes.
std::string row_verdict(const Row& row, Footnotes& reasons) {
  const Record& record = row.record;
  std::string text = row.verdict + (row.repeats_baseline ? " (A/A)" : "");
  if (record.status != CellStatus::kOk) text += footnote(reasons, record.reason);
  if (row.is_vacuous()) {
    text +=
        ", no effect" + footnote(reasons, fmt::format("{}: no evidence that the optimization took "
                                                      "effect: {}",
                                                      record.arm, fmt::join(row.missing, "; ")));
  }
  if (record.devices) {
    text += fmt::format(", {} devices", *record.devices) +
            footnote(reasons, fmt::format("the batch of {} is shared among {} devices; % SOL is of "
                                          "all of them",
                                          record.arm, *record.devices));
  }
  if (!row.same_code_as.empty()) {
    text += ", same code" +
            footnote(reasons, fmt::format("{} has the machine code and the launches of {}: they "
                                          "are one arm",
                                          record.arm, row.same_code_as));
  }
  return text;
}

std::int64_t sample_count(const Record& record) {
  std::int64_t count = 0;
  for (const SampleBlock& block : record.samples) count += std::ssize(block.seconds);
  return count;
}

/// Of the device when the blocks of a process had run, those of all arms: the mean over processes.
std::optional<double> power_after_blocks(const Record& record) {
  std::vector<double> watts;
  for (const ProcessRun& run : record.processes) {
    if (run.after && run.after->power_watts) watts.push_back(*run.after->power_watts);
  }
  const double sum = std::accumulate(watts.begin(), watts.end(), 0.0);
  return when(!watts.empty(), sum / static_cast<double>(std::max<std::size_t>(watts.size(), 1)));
}

/// "name=seconds;..."
std::string parts_before_kernel(const Row& row) {
  std::string before;
  if (!row.prepasses) return before;
  for (const PartMedian& part : row.prepasses->before) {
    before += fmt::format("{}{}={}", before.empty() ? "" : ";", part.name, part.seconds);
  }
  return before;
}

/// The ratio to the baseline without what runs before the kernel.
Estimate without_prepasses(const Row& row) {
  if (!row.prepasses || !row.prepasses->without) return {};
  return {row.prepasses->without->ratio, row.prepasses->without->interval_95};
}

nlohmann::json prepasses_json(const PrepassSplit& split) {
  nlohmann::json before = json_list(split.before, [](const PartMedian& part) -> nlohmann::json {
    return {{"name", part.name}, {"median_seconds", part.seconds}, {"outside", part.outside}};
  });
  nlohmann::json without;
  if (split.without) {
    without = {{"speedup", split.without->ratio}, {"verdict", name_of(classify(*split.without))}};
    if (split.without->interval_95) without["speedup_95"] = to_value(split.without->interval_95);
  }
  return {{"before", std::move(before)},
          {"kernel_seconds", split.kernel_seconds},
          {"total_seconds", split.total_seconds()},
          {"share", split.share()},
          {"without", std::move(without)}};
}

std::string method_of(const Table& table, Replication replication) {
  int fewest = std::numeric_limits<int>::max();
  int most = 0;
  for (const Row& row : table.rows) {
    if (row.replication != replication) continue;
    fewest = std::min(fewest, row.replicates);
    most = std::max(most, row.replicates);
  }
  if (most == 0) return "";
  const std::string count =
      fewest == most ? fmt::format("{}", most) : fmt::format("{} to {}", fewest, most);
  if (replication == Replication::kProcesses) {
    return fmt::format("95% intervals: Student t over the means of {} processes.", count);
  }
  return fmt::format(
      "Intervals: Student t over {} blocks of one process; differences between processes are not "
      "in "
      "them, so that they hold the truth less often than in 95% of runs.",
      count);
}

/// Which arms the time budget cut short, or "".
std::string cut_short(const Table& table) {
  std::vector<std::string> arms;
  for (const Row& row : table.rows) {
    if (row.timed() && row.record.stopped_by == "budget") {
      arms.push_back(printable_line(row.record.arm));
    }
  }
  if (arms.empty()) return "";
  if (arms.size() == table.rows.size()) return "The time budget ended before all blocks had run.";
  return fmt::format("The time budget ended before all blocks of these had run: {}.",
                     fmt::join(arms, ", "));
}

/// "a, b 13.4x to 15.7x": those that share the first place, and their ratios.
std::string shared_gist(const Table& table, const Leader& leader) {
  constexpr std::size_t kMost = 2;
  std::vector<std::string> names{arm_text(table.rows[leader.best])};
  double low = table.rows[leader.best].speedup.value_or(1);
  double high = low;
  for (const std::size_t rival : leader.rivals) {
    names.push_back(arm_text(table.rows[rival]));
    low = std::min(low, table.rows[rival].speedup.value_or(low));
    high = std::max(high, table.rows[rival].speedup.value_or(high));
  }
  const std::size_t others = names.size() - std::min(names.size(), kMost);
  names.resize(names.size() - others);
  const std::string more = others == 0 ? "" : fmt::format(" and {} more", others);
  return fmt::format("{}{} {}x to {}x", fmt::join(names, ", "), more, short_ratio(low),
                     short_ratio(high));
}

/// The winner and its ratio, or the status that all arms have.
std::string gist_of(const Table& table) {
  const auto& leader = table.leader;
  if (!leader) {
    const bool all_right =
        std::ranges::all_of(table.rows, [](const Row& row) { return row.verdict == "right"; });
    return all_right ? "all right" : "";
  }
  const Row& best = table.rows[leader->best];
  const std::string ratio = best.speedup ? " " + short_ratio(*best.speedup) + "x" : "";
  switch (leader->standing) {
    case Standing::kFastest: return arm_text(best) + ratio;
    case Standing::kShared: return shared_gist(table, *leader);
    case Standing::kNone: break;
  }
  return "no clear winner";
}

/// An error that a reader would take for a mistake says where it stands why the arm is right: the
/// bound follows from the formats that the arm rounds to.
void explain_large_errors(const Table& table, Section& section) {
  constexpr double kLarge = 10;
  const Row* baseline = baseline_row(table);
  if (baseline == nullptr || !baseline->compared()) return;
  const double usual = baseline->record.worst_output().relative_l2;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Row& row = table.rows[i];
    const OutputError& error = row.record.worst_output();
    if (!row.compared() || row.record.status == CellStatus::kWrong || usual <= 0) continue;
    if (error.relative_l2 < kLarge * usual) continue;
    section.rows[i].back() +=
        ", larger error" +
        footnote(
            section.reasons,
            fmt::format("{}: the error is {:.0f} times the baseline's. It is right all the same: "
                        "the verdict compares times, and the bound for an arm's error ({:.1e} "
                        "here) follows from the formats that the arm rounds to.",
                        row.record.arm, error.relative_l2 / usual, error.tolerance));
  }
}

/// Of the outputs whose bits differ from run to run; 0 where none do. One that is no number stays.
double worst_spread(const Record& record) {
  double most = 0;
  for (const OutputError& output : record.outputs) {
    if (!(output.spread <= most) && !std::isnan(most)) most = output.spread;
  }
  return most;
}

}  // namespace

const ColumnsOf<Row>& cell_columns() {
  static const ColumnsOf<Row> kColumns = {
      {"problem", kCsv, [](const Row& r) { return r.record.problem; }},
      {"mode", kCsv, [](const Row& r) { return r.record.mode; }},
      {"arm", kEverywhere, Look("arm"), [](const Row& r) { return r.record.arm; }},
      {"composition", kCsv, [](const Row& r) { return r.record.composition; }},
      {"device", kCsv, [](const Row& r) { return r.record.device; }},
      {"baseline", kCsv, [](const Row& r) { return r.record.baseline; }},
      {"status", kCsv, [](const Row& r) { return r.record.status; }},
      {"verdict", kEverywhere, Look("verdict"), [](const Row& r) { return r.verdict; },
       row_verdict},
      {"median_seconds", kEverywhere, Look("time", ColumnUnit::kSeconds),
       [](const Row& r) { return when(r.timed(), r.median_seconds); }},
      {"speedup", kEverywhere,
       Look("ratio", ColumnUnit::kRatio,
            "ratio: baseline time / arm time, compared inside interleaved blocks; above 1 is "
            "faster."),
       [](const Row& r) { return Estimate(r.speedup, r.speedup_95, r.replication, r.replicates); }},
      {"replication", kCsv, [](const Row& r) { return r.replication; }},
      {"replicates", kCsv, [](const Row& r) { return r.replicates; }},
      {"samples", kCsv, [](const Row& r) { return sample_count(r.record); }},
      {"stopped_by", kCsv, [](const Row& r) { return r.record.stopped_by; }},
      {"dram_bytes_per_second", kEverywhere,
       Look("", ColumnUnit::kBytesPerSecond,
            "GB/s: the bytes that the problem has to move at least / time.", true),
       [](const Row& r) { return when(r.timed(), r.dram_bytes_per_second); }},
      {"flops_per_second", kEverywhere,
       Look("", ColumnUnit::kFlopsPerSecond, "FLOP/s: the operator's operations / time.", true),
       [](const Row& r) { return when(r.timed() && r.flops_per_second > 0, r.flops_per_second); }},
      {"speed_of_light", kEverywhere,
       Look("% SOL", ColumnUnit::kShare,
            "% SOL: speed of light, the least time that the device's ceilings allow / time, "
            "and the memory whose ceiling it is."),
       [](const Row& r) { return r.speed_of_light; },
       [](const Row& r, Footnotes&) { return speed_of_light_text(r); }},
      {"bound", kFiles, [](const Row& r) { return r.bound; }},
      {"relative_l2", kPeople | kCsv,
       Look("rel. L2", ColumnUnit::kError, "rel. L2: error against the float64 reference."),
       [](const Row& r) { return when(r.compared(), r.record.worst_output().relative_l2); }},
      {"maximum_absolute", kCsv,
       [](const Row& r) { return when(r.compared(), r.record.worst_output().maximum_absolute); }},
      {"tolerance", kCsv,
       [](const Row& r) { return when(r.compared(), r.record.worst_output().tolerance); }},
      {"spread", kPeople | kCsv,
       Look("spread", ColumnUnit::kError,
            "spread: relative L2 difference between two runs on one input."),
       [](const Row& r) {
         const double most = worst_spread(r.record);
         return when(r.compared() && !(most == 0), most);
       }},
      {"expected_relative_l2", kCsv, [](const Row& r) { return r.record.expected_relative_l2; }},
      {"minimum_dram_bytes", kCsv, [](const Row& r) { return r.record.traffic.once(); }},
      {"gathered_bytes", kCsv, [](const Row& r) { return r.record.traffic.gathered; }},
      {"flops", kCsv, [](const Row& r) { return r.record.traffic.flops; }},
      {"registers", kCsv, [](const Row& r) { return r.record.resources.registers; }},
      {"static_shared_bytes", kCsv,
       [](const Row& r) { return r.record.resources.static_shared_bytes; }},
      {"dynamic_shared_bytes", kCsv,
       [](const Row& r) { return r.record.resources.dynamic_shared_bytes; }},
      {"spill_bytes", kCsv, [](const Row& r) { return r.record.resources.spill_bytes; }},
      {"compile_seconds", kCsv,
       [](const Row& r) { return of_member(r.record.compilation, &Compilation::seconds); }},
      {"compiled_from_cache", kCsv,
       [](const Row& r) { return of_member(r.record.compilation, &Compilation::from_cache); }},
      {"prepare_seconds", kCsv, [](const Row& r) { return r.record.prepare_seconds; }},
      {"joules", kEverywhere,
       Look("[mJ]", ColumnUnit::kJoules,
            "mJ, W, MHz: energy of a launch, power and SM clock while the arm's launches follow "
            "one another, of the whole device.",
            true),
       [](const Row& r) { return of_member(power_of(r.record), &PowerDraw::joules); }},
      {"watts", kEverywhere, Look("[W]", ColumnUnit::kWhole, "", true),
       [](const Row& r) { return of_member(power_of(r.record), &PowerDraw::watts); }},
      {"busy_sm_clock_mhz", kEverywhere, Look("[MHz]", ColumnUnit::kWhole, "", true),
       [](const Row& r) { return power_of(r.record).value_or(PowerDraw()).sm_clock_mhz; }},
      {"power_watts", kFiles, [](const Row& r) { return power_after_blocks(r.record); }},
      {"before_kernel", kCsv, parts_before_kernel},
      {"prepass_seconds", kCsv,
       [](const Row& r) { return of_member(r.prepasses, &PrepassSplit::prepass_seconds); }},
      {"kernel_seconds", kCsv,
       [](const Row& r) { return of_member(r.prepasses, &PrepassSplit::kernel_seconds); }},
      {"speedup_without_prepasses", kCsv, without_prepasses},
      {"evidence", kCsv,
       [](const Row& r) { return of_member(r.record.evidence, &Evidence::status); }},
      {"missing_evidence", kCsv,
       [](const Row& r) {
         const auto missing = of_member(r.record.evidence, &Evidence::missing);
         return missing ? fmt::format("{}", fmt::join(*missing, "; ")) : "";
       }},
      {"same_code_as", kFiles, [](const Row& r) { return r.same_code_as; }},
      {"reason", kCsv, [](const Row& r) { return r.record.reason; }},
      {"prepasses", kJson,
       [](const Row& r) { return r.prepasses ? prepasses_json(*r.prepasses) : nlohmann::json(); }},
      {"repeats_baseline", kJson, [](const Row& r) { return r.repeats_baseline; }},
      {"vacuous", kJson, [](const Row& r) { return r.is_vacuous(); }},
      {"record", kJson, [](const Row& r) { return to_json_without_samples(r.record); }},
  };
  return kColumns;
}

Section cell_section(const Table& table, const Manifest& manifest) {
  Section section = section_named("", place_of(table));
  section.subject = &table;
  section.headline = headline(table);
  section.gist = gist_of(table);
  set_rows(section, cell_columns(), table.rows);
  explain_large_errors(table, section);
  section.remarks = {method_of(table, Replication::kProcesses),
                     method_of(table, Replication::kBlocks),
                     table.noise ? noise_sentence(*table.noise) : "", cut_short(table)};
  for (std::string& remark : run_remarks(manifest, table)) {
    section.remarks.push_back(std::move(remark));
  }
  std::erase(section.remarks, "");
  drop_empty_columns(section);
  return section;
}

}  // namespace msda
