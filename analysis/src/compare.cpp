#include "compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>
#include <boost/math/distributions/students_t.hpp>

#include "text.hpp"

namespace msda {
namespace {

/// Means of log time that count as independent: of processes, or the blocks of the only one.
std::vector<double> observations_of(const Record& record, bool of_processes) {
  std::map<int, std::vector<double>> processes;
  for (const auto& [key, log_time] : log_medians(record.samples)) {
    processes[key.first].push_back(log_time);
  }
  std::vector<double> observations;
  for (const auto& [process, values] : processes) {
    if (of_processes) {
      observations.push_back(std::accumulate(values.begin(), values.end(), 0.0) /
                             static_cast<double>(values.size()));
    } else {
      observations.insert(observations.end(), values.begin(), values.end());
    }
  }
  return observations;
}

struct Sample {
  double mean = 0;
  double variance_of_mean = 0;
  double degrees = 0;
};

Sample summary_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  Sample sample;
  sample.degrees = count - 1;
  sample.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (values.size() < 2) return sample;
  double squares = 0;
  for (const double value : values) squares += (value - sample.mean) * (value - sample.mean);
  sample.variance_of_mean = squares / (count - 1) / count;
  return sample;
}

void compare_times(const Record& before, const Record& after, CellChange& change) {
  const bool of_processes =
      observations_of(before, true).size() > 1 && observations_of(after, true).size() > 1;
  const std::vector<double> first = observations_of(before, of_processes);
  const std::vector<double> second = observations_of(after, of_processes);
  if (first.empty() || second.empty()) return;
  const Sample a = summary_of(first);
  const Sample b = summary_of(second);
  const double log_ratio = a.mean - b.mean;
  change.ratio = std::exp(log_ratio);
  if (a.degrees < 1 || b.degrees < 1) return;
  const double variance = a.variance_of_mean + b.variance_of_mean;
  double half = 0;
  if (variance > 0) {  // Welch and Satterthwaite
    const double degrees = variance * variance /
                           (a.variance_of_mean * a.variance_of_mean / a.degrees +
                            b.variance_of_mean * b.variance_of_mean / b.degrees);
    constexpr double kUpperTail = 0.025;
    const boost::math::students_t distribution(degrees);
    half = std::sqrt(variance) *
           boost::math::quantile(boost::math::complement(distribution, kUpperTail));
  }
  change.ratio_95 = Interval{std::exp(log_ratio - half), std::exp(log_ratio + half)};
}

Change judge_change(const CellChange& change, double threshold) {
  if (!change.ratio_95) return Change::kUndecided;
  const auto [low, high] = *change.ratio_95;
  if (high < 1 - threshold) return Change::kWorse;
  if (low > 1 + threshold) return Change::kBetter;
  if (low >= 1 - threshold && high <= 1 + threshold) return Change::kEqual;
  return Change::kUndecided;
}

CellChange compare_cell(const Row& before, const Row& after, double threshold) {
  CellChange change;
  change.cell = before.record.cell;
  change.before_seconds = before.median_seconds;
  change.after_seconds = after.median_seconds;
  if (before.timed() && after.timed()) {
    compare_times(before.record, after.record, change);
    change.change = judge_change(change, threshold);
    if (!change.ratio_95) change.reason = "one block, so no interval";
  } else if (before.timed()) {
    change.reason = fmt::format("had a time, now {}: {}", after.verdict, after.record.reason);
    if (after.record.status != CellStatus::kSkipped) change.change = Change::kWorse;
  } else {
    change.reason = fmt::format("had no time: {}", before.verdict);
  }
  return change;
}

std::map<std::string, const Row*> rows_by_cell(const Report& report) {
  std::map<std::string, const Row*> rows;
  for (const Table& table : report.tables) {
    for (const Row& row : table.rows) rows[row.record.cell] = &row;
  }
  return rows;
}

std::string xml_escaped(std::string_view text) {
  std::string result;
  for (const char c : printable_line(text)) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

std::string what_changed(const CellChange& change) {
  if (!change.ratio) return change.reason;
  return ratio_text(*change.ratio, change.ratio_95) +
         (change.reason.empty() ? "" : ", " + change.reason);
}

std::size_t count_of(const std::vector<CellChange>& changes, Change kind) {
  return static_cast<std::size_t>(
      std::count_if(changes.begin(), changes.end(),
                    [kind](const CellChange& change) { return change.change == kind; }));
}

}  // namespace

std::string_view name_of(Change change) {
  switch (change) {
    case Change::kBetter: return "better";
    case Change::kWorse: return "worse";
    case Change::kEqual: return "equal";
    case Change::kUndecided: return "undecided";
    case Change::kNotComparable: break;
  }
  return "not comparable";
}

std::vector<CellChange> compare_runs(const Report& before, const Report& after, double threshold) {
  auto later = rows_by_cell(after);
  std::vector<CellChange> changes;
  for (const Table& table : before.tables) {
    for (const Row& row : table.rows) {
      const auto found = later.find(row.record.cell);
      if (found == later.end()) {
        CellChange& missing = changes.emplace_back();
        missing.cell = row.record.cell;
        missing.before_seconds = row.median_seconds;
        missing.reason = "only in the first run";
        continue;
      }
      changes.push_back(compare_cell(row, *found->second, threshold));
      later.erase(found);
    }
  }
  for (const auto& [cell, row] : later) {
    CellChange& fresh = changes.emplace_back();
    fresh.cell = cell;
    fresh.after_seconds = row->median_seconds;
    fresh.reason = "only in the second run";
  }
  return changes;
}

std::string to_text(const std::vector<CellChange>& changes, double threshold) {
  std::size_t cell_width = 0;
  for (const CellChange& change : changes) {
    cell_width = std::max(cell_width, display_width(printable_line(change.cell)));
  }
  constexpr std::size_t kVerdictWidth = 14;  // "not comparable"
  std::string text;
  for (const CellChange& change : changes) {
    text += fmt::format("{}  {}  {}\n", pad_right(printable_line(change.cell), cell_width),
                        pad_right(name_of(change.change), kVerdictWidth),
                        printable_line(what_changed(change)));
  }
  return text + fmt::format(
                    "{} cells: {} better, {} worse, {} equal within {:g}%, {} undecided, {} "
                    "not comparable. Ratio: first time / second time, 95% interval.\n",
                    changes.size(), count_of(changes, Change::kBetter),
                    count_of(changes, Change::kWorse), count_of(changes, Change::kEqual),
                    threshold * 100, count_of(changes, Change::kUndecided),
                    count_of(changes, Change::kNotComparable));
}

std::string to_junit(const std::vector<CellChange>& changes) {
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"msda compare\" tests=\"{}\" failures=\"{}\" errors=\"0\" "
      "skipped=\"{}\">\n",
      changes.size(), count_of(changes, Change::kWorse), count_of(changes, Change::kNotComparable));
  for (const CellChange& change : changes) {
    const std::string what = xml_escaped(what_changed(change));
    text += fmt::format("  <testcase classname=\"msda\" name=\"{}\" time=\"{}\">",
                        xml_escaped(change.cell), change.after_seconds);
    if (change.change == Change::kWorse) {
      text += fmt::format("<failure message=\"worse: {}\"/>", what);
    } else if (change.change == Change::kNotComparable) {
      text += fmt::format("<skipped message=\"{}\"/>", what);
    } else {
      text += fmt::format("<system-out>{}: {}</system-out>", name_of(change.change), what);
    }
    text += "</testcase>\n";
  }
  return text + "</testsuite>\n";
}

}  // namespace msda
