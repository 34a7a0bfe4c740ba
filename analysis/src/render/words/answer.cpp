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

namespace msda {
namespace {

/// Ratios that stand for one thing at several places.
struct Range {
  double low = INFINITY;
  double high = 0;
  int count = 0;

  void add(double ratio) {
    low = std::min(low, ratio);
    high = std::max(high, ratio);
    ++count;
  }
  /// "1.68x", "1.68x to 3.00x"
  std::string text() const {
    const std::string from = short_ratio(low) + "x";
    const std::string to = short_ratio(high) + "x";
    return from == to ? from : from + " to " + to;
  }
};

/// "on 2 problems in 3 modes"
template <class Tables>
std::string extent_of(const Tables& tables) {
  std::set<std::string> problems;
  std::set<TimingMode> modes;
  for (const auto& table : tables) {
    problems.insert(table.problem);
    modes.insert(table.mode);
  }
  if (modes.size() == 1) return how_many(problems.size(), "problem");
  return fmt::format("{} in {}", how_many(problems.size(), "problem"),
                     how_many(modes.size(), "mode"));
}

/// "3 of 4 cases", or "all" of them.
std::string of_cases(int count, std::size_t all) {
  return static_cast<std::size_t>(count) == all ? "everywhere"
                                                : fmt::format("in {} of {} cases", count, all);
}

/// Most counted first.
std::vector<std::pair<std::string, Range>> by_count(const std::map<std::string, Range>& ranges) {
  std::vector<std::pair<std::string, Range>> sorted(ranges.begin(), ranges.end());
  std::ranges::stable_sort(
      sorted, [](const auto& a, const auto& b) { return a.second.count > b.second.count; });
  return sorted;
}

// --- Ablations
// -----------------------------------------------------------------------------------

std::string total_sentence(const std::vector<AblationTable>& tables) {
  Range all;
  int sure = 0;
  for (const AblationTable& table : tables) {
    const EffectFamily* family = find_family(table, EffectKind::kTotal);
    if (family == nullptr || !family->effects.front().ratio) continue;
    const Effect& total = family->effects.front();
    all.add(*total.ratio);
    sure += total.verdict == EffectVerdict::kBetter ? 1 : 0;
  }
  if (all.count == 0) return "";
  const auto count = static_cast<std::size_t>(all.count);
  if (sure == all.count) {
    return fmt::format("All factors together bring {} on {}. ", all.text(), extent_of(tables));
  }
  if (sure == 0) {
    return fmt::format(
        "On {}, all factors together are nowhere surely faster: {} the base's speed. ",
        extent_of(tables), all.text());
  }
  return fmt::format("All factors together surely gain {} ({}). ", of_cases(sure, count),
                     all.text());
}

/// What is known of a factor over all tables.
struct Worth {
  int paying = 0;
  int open = 0;  ///< neither shown to pay nor shown not to
};

/// Of factors that surely pay nowhere: those that are equal or worse everywhere, and the others.
std::string what_does_not_pay(const std::map<std::string, Worth>& worths) {
  std::vector<std::string> idle;
  std::vector<std::string> open;
  for (const auto& [name, worth] : worths) {
    if (worth.paying == 0) (worth.open == 0 ? idle : open).push_back(name);
  }
  std::string text;
  if (!idle.empty()) text += fmt::format(" What surely pays nowhere: {}.", fmt::join(idle, ", "));
  if (!open.empty()) text += fmt::format(" Undecided: {}.", fmt::join(open, ", "));
  return text;
}

/// The effect that is better by most, or nullptr; and what all of them say of their factors.
const Effect* add_worths(const EffectFamily& family, std::map<std::string, Worth>& worths) {
  const Effect* most = nullptr;
  for (const Effect& effect : family.effects) {
    Worth& worth = worths[printable_line(effect.label)];
    const bool known =
        effect.verdict == EffectVerdict::kEqual || effect.verdict == EffectVerdict::kWorse;
    if (effect.verdict != EffectVerdict::kBetter) {
      worth.open += known ? 0 : 1;
      continue;
    }
    ++worth.paying;
    if (most == nullptr || *effect.ratio > *most->ratio) most = &effect;
  }
  return most;
}

std::string what_pays(const std::vector<AblationTable>& tables) {
  std::map<std::string, Range> best;
  std::map<std::string, Worth> worths;
  std::size_t count = 0;
  for (const AblationTable& table : tables) {
    const EffectFamily* family = telling_family(table);
    if (family == nullptr) continue;
    ++count;
    const Effect* most = add_worths(*family, worths);
    if (most != nullptr) best[printable_line(most->label)].add(*most->ratio);
  }
  if (count == 0) return "";
  if (best.empty()) return "No factor surely pays anywhere." + what_does_not_pay(worths);
  std::vector<std::string> parts;
  for (const auto& [name, range] : by_count(best)) {
    parts.push_back(fmt::format("{} {} ({})", name, of_cases(range.count, count), range.text()));
  }
  return fmt::format("What pays most: {}.{}", fmt::join(parts, ", "), what_does_not_pay(worths));
}

// --- Arms
// ----------------------------------------------------------------------------------------

std::string untimed_sentence(const Report& report) {
  std::map<std::string, int> counts;
  int cells = 0;
  int timed = 0;
  for (const Row& row : rows_of(report)) {
    ++cells;
    timed += row.timed() ? 1 : 0;
    if (!row.timed()) ++counts[row.verdict];
  }
  if (counts.empty()) return "";
  if (counts.size() == 1 && counts.contains("right") && timed == 0) {
    return fmt::format("All {} cells are right.", cells);
  }
  std::vector<std::string> parts;
  parts.reserve(counts.size());
  for (const auto& [verdict, count] : counts) parts.push_back(fmt::format("{} {}", count, verdict));
  return fmt::format("Without a time: {} of {} cells.", fmt::join(parts, ", "), cells);
}

/// How many tables say what of a first place.
struct Places {
  std::map<std::string, Range> first;  ///< by arm, with its ratios to the baseline
  int shared = 0;
  int open = 0;
  int unpicked = 0;  ///< open, though arms are faster when each is compared by itself
  int alone = 0;     ///< no other arm has a time
  int untimed = 0;
  std::size_t count = 0;

  bool any_compared() const { return std::cmp_less(alone + untimed, count); }
};

Places count_places(const Report& report) {
  Places places;
  for (const Table& table : report.tables) {
    ++places.count;
    const auto& leader = table.leader;
    if (!leader) {
      ++(fastest_first(table).empty() ? places.untimed : places.alone);
      continue;
    }
    if (leader->standing == Standing::kFastest) {
      const Row& best = table.rows[leader->best];
      places.first[printable_line(best.record.arm)].add(best.speedup.value_or(1));
    }
    places.shared += leader->standing == Standing::kShared ? 1 : 0;
    if (leader->standing == Standing::kNone) {
      ++(count_faster(table) == 0 ? places.open : places.unpicked);
    }
  }
  return places;
}

std::string winners(const Report& report) {
  const Places places = count_places(report);
  if (!places.any_compared()) return "";
  std::vector<std::string> parts;
  for (const auto& [name, range] : by_count(places.first)) {
    parts.push_back(fmt::format("{} is the fastest {} ({} the baseline's speed)", name,
                                of_cases(range.count, places.count), range.text()));
  }
  const auto add = [&](const char* what, int count) {
    if (count > 0) parts.push_back(fmt::format("{} {}", what, of_cases(count, places.count)));
  };
  add("several share the first place", places.shared);
  add("nothing is surely faster than the baseline", places.open);
  add("arms are faster than the baseline one by one, but none surely as the best of them",
      places.unpicked);
  add("there is nothing to compare with", places.alone);
  add("no arm has a time", places.untimed);
  return fmt::format("On {}: {}.", extent_of(report.tables), fmt::join(parts, "; "));
}

}  // namespace

std::string answer(const Report& report) {
  if (report.tables.empty()) return "";
  std::string text;
  if (report.ablation) {
    text = total_sentence(report.ablation->tables) + what_pays(report.ablation->tables);
  }
  if (text.empty() && report.tables.size() == 1) return headline(report.tables.front());
  if (text.empty()) text = winners(report);
  const std::string untimed = untimed_sentence(report);
  if (!text.empty() && !untimed.empty()) text += " ";
  return text + untimed;
}

}  // namespace msda
