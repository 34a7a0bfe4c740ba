#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/tables/matrix.hpp"
#include "render/text/text.hpp"
#include "render/words/words.hpp"
#include "statistics/outside.hpp"

namespace msda {
namespace {

/// The least and the largest of some values.
struct Range {
  double low = INFINITY;
  double high = 0;
  int count = 0;

  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
    ++count;
  }
  /// "1.68x", "1.68x to 3.00x"
  std::string ratios() const {
    const std::string from = short_ratio(low) + "x";
    const std::string to = short_ratio(high) + "x";
    return from == to ? from : from + " to " + to;
  }
  /// "266.1 us", "266.1 us to 1.002 ms"
  std::string times() const {
    const std::string from = time_scale(low).text(low);
    const std::string to = time_scale(high).text(high);
    return from == to ? from : from + " to " + to;
  }
};

/// "On 2 problems in 3 modes"
std::string extent_of(const std::vector<Table>& tables) {
  std::set<std::string> problems;
  std::set<TimingMode> modes;
  for (const Table& table : tables) {
    problems.insert(table.problem);
    modes.insert(table.mode);
  }
  std::string text = "On " + how_many(problems.size(), "problem");
  if (modes.size() > 1) text += " in " + how_many(modes.size(), "mode");
  return text;
}

/// "in 3 of 4 cases", or "everywhere".
std::string of_cases(int count, std::size_t all) {
  return std::cmp_equal(count, all) ? "everywhere" : fmt::format("in {} of {} cases", count, all);
}

/// "a", "a and b", "a, b and 3 more"
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  if (names.size() == 1) return names[0];
  if (names.size() > kMost) {
    return fmt::format("{}, {} and {} more", names[0], names[1], names.size() - 2);
  }
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

/// Tables with the same arms in first place, and ratios of these arms to the baseline where that
/// has a time.
using Leaders = std::map<std::vector<std::string>, Range>;

/// How many tables say what of a first place.
struct Places {
  Leaders leaders;
  Range best_estimates;     ///< of tables where nothing is significantly faster than the baseline
  bool has_single = false;  ///< in one of them arms are faster when each is compared by itself
  std::map<std::string, Range> alone;  ///< times of arms that are the only ones with a time
  int untimed = 0;
  std::size_t count = 0;
};

void add_leaders(const Table& table, const Leader& leader, Leaders& leaders) {
  std::vector<std::string> names{arm_text(table.rows[leader.best])};
  for (const std::size_t rival : leader.rivals) names.push_back(arm_text(table.rows[rival]));
  Range range;
  const auto add = [&](const Row& row) {
    if (row.speedup || row.record.baseline) range.add(row.speedup.value_or(1));
  };
  add(table.rows[leader.best]);
  for (const std::size_t rival : leader.rivals) add(table.rows[rival]);
  std::ranges::sort(names);
  Range& all = leaders[names];
  all.low = std::min(all.low, range.low);
  all.high = std::max(all.high, range.high);
  ++all.count;
}

Places count_places(const Report& report) {
  Places places;
  for (const Table& table : report.tables) {
    ++places.count;
    const auto& leader = table.leader;
    if (!leader) {
      const std::vector<const Row*> timed = fastest_first(table);
      if (timed.empty()) {
        ++places.untimed;
      } else {
        places.alone[arm_text(*timed.front())].add(timed.front()->median_seconds);
      }
    } else if (leader->standing == Standing::kNone) {
      places.best_estimates.add(leader->over_baseline ? leader->over_baseline->ratio : 1);
      places.has_single = places.has_single || count_faster(table) > 0;
    } else {
      add_leaders(table, *leader, places.leaders);
    }
  }
  return places;
}

/// The baseline's name; "" where tables have several.
std::string baseline_of(const Report& report) {
  std::set<std::string> names;
  for (const Row& row : rows_of(report)) {
    if (row.record.baseline) names.insert(printable_line(row.record.arm));
  }
  return names.size() == 1 ? *names.begin() : "";
}

std::string leaders_clause(const std::vector<std::string>& names, const Range& range,
                           const Places& places, const std::string& baseline) {
  const std::string where = of_cases(range.count, places.count);
  const std::string ratios =
      range.high > 0 ? fmt::format(" ({} the speed of {})", range.ratios(), baseline) : "";
  if (names.size() > 1) {
    return fmt::format("{} are the fastest and indistinguishable {}{}", listed(names), where,
                       ratios);
  }
  if (names[0] == baseline)
    return fmt::format("{}, the baseline, is the fastest {}", baseline, where);
  return fmt::format("{} is the fastest {}{}", names[0], where, ratios);
}

/// Of the arms in first place, the most frequent ones by name.
void add_leaders_clauses(const Places& places, const std::string& baseline,
                         std::vector<std::string>& clauses) {
  constexpr std::size_t kMost = 3;
  std::vector<std::pair<std::vector<std::string>, Range>> sorted(places.leaders.begin(),
                                                                 places.leaders.end());
  std::ranges::stable_sort(
      sorted, [](const auto& a, const auto& b) { return a.second.count > b.second.count; });
  Range others;
  int cases = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto& [names, range] = sorted[i];
    if (i < kMost || sorted.size() == kMost + 1) {
      clauses.push_back(leaders_clause(names, range, places, baseline));
      continue;
    }
    if (range.high > 0) {
      others.add(range.low);
      others.add(range.high);
    }
    cases += range.count;
  }
  if (cases > 0) {
    clauses.push_back("other arms are the fastest " + of_cases(cases, places.count) +
                      (others.count > 0 ? " (" + others.ratios() + ")" : ""));
  }
}

/// "a and b are one composition", where no table has anything to compare.
std::string of_one_arm(const Report& report, const Places& places) {
  std::vector<std::string> copies;
  Range times;
  for (const auto& [name, range] : places.alone) {
    copies.push_back(name);
    times.add(range.low);
    times.add(range.high);
  }
  std::set<std::string> repeated;
  for (const Row& row : rows_of(report)) {
    if (row.timed() && row.repeats_baseline) repeated.insert(arm_text(row));
  }
  const std::string extent = extent_of(report.tables);
  if (repeated.empty()) {
    return fmt::format("{}, no second arm has a time to compare with: {} takes {}.", extent,
                       listed(copies), times.times());
  }
  copies.insert(copies.end(), repeated.begin(), repeated.end());
  return fmt::format(
      "{}, {} are one composition, so that there is nothing to compare: it takes {}.", extent,
      listed(copies), times.times());
}

/// "base takes 266.1 us to 1.002 ms."
std::string baseline_times(const Report& report) {
  Range times;
  std::string name;
  for (const Row& row : rows_of(report)) {
    if (!row.record.baseline || !row.timed()) continue;
    times.add(row.median_seconds);
    name = printable_line(row.record.arm);
  }
  return times.count == 0 ? "" : fmt::format(" {} takes {}.", name, times.times());
}

std::string winners(const Report& report) {
  const Places places = count_places(report);
  if (std::cmp_equal(places.untimed, places.count)) return "";
  int alone = 0;
  for (const auto& [name, range] : places.alone) alone += range.count;
  if (std::cmp_equal(alone + places.untimed, places.count)) return of_one_arm(report, places);
  const std::string name = baseline_of(report);
  const std::string baseline = name.empty() ? "the baseline" : name;
  std::vector<std::string> clauses;
  add_leaders_clauses(places, baseline, clauses);
  if (places.best_estimates.count > 0) {
    clauses.push_back(fmt::format(
        "no arm is significantly faster than {} {} (the best {} {}{})", baseline,
        of_cases(places.best_estimates.count, places.count),
        places.best_estimates.count == 1 ? "estimate is" : "estimates are",
        places.best_estimates.ratios(),
        places.has_single ? "; some arms are faster only as long as each is compared alone" : ""));
  }
  if (alone > 0) clauses.push_back("only one arm has a time " + of_cases(alone, places.count));
  if (places.untimed > 0) {
    clauses.push_back("no arm has a time " + of_cases(places.untimed, places.count));
  }
  return fmt::format("{}: {}.{}", extent_of(report.tables), fmt::join(clauses, "; "),
                     baseline_times(report));
}

bool is_in_first_place(const Table& table, std::size_t row) {
  return table.leader && table.leader->standing != Standing::kNone &&
         (table.leader->best == row || std::ranges::count(table.leader->rivals, row) > 0);
}

/// Of arms in first place whose time leaves out work that they do, with the ratios that this work
/// is a part of.
std::string outside_sentences(const Report& report) {
  std::map<std::string, Range> ratios;
  for (const Table& table : report.tables) {
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const Row& row = table.rows[i];
      if (!is_in_first_place(table, i) || !has_outside_work(row.record)) continue;
      Range& range = ratios[arm_text(row)];
      if (const auto with = ratio_with_outside(table, row)) range.add(with->ratio);
    }
  }
  std::string text;
  for (const auto& [name, range] : ratios) {
    text += outside_sentence(name, range.count == 0 ? "" : range.ratios());
  }
  return text;
}

std::string untimed_sentence(const Report& report) {
  std::map<std::string, int> counts;
  int cells = 0;
  for (const Row& row : rows_of(report)) {
    ++cells;
    if (!row.timed()) ++counts[row.verdict];
  }
  if (counts.empty()) return "";
  if (counts.contains("right") && counts.at("right") == cells) {
    return fmt::format("All {} cells are right; this device verifies and measures no time.", cells);
  }
  std::vector<std::string> parts;
  parts.reserve(counts.size());
  for (const auto& [verdict, count] : counts) parts.push_back(fmt::format("{} {}", count, verdict));
  return fmt::format("Without a time: {} of {} cells.", fmt::join(parts, ", "), cells);
}

}  // namespace

std::string answer(const Report& report) {
  if (report.tables.empty()) return "";
  std::string text;
  if (report.ablation) text = effects_answer(*report.ablation);
  if (text.empty() && report.tables.size() == 1) return headline(report.tables.front());
  if (text.empty()) {
    text = winners(report);
    if (!text.empty()) text += outside_sentences(report);
  }
  const std::string untimed = untimed_sentence(report);
  if (!text.empty() && !untimed.empty()) text += " ";
  return text + untimed;
}

}  // namespace msda
