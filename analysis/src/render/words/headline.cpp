#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/text/text.hpp"
#include "render/words/words.hpp"

namespace msda {
namespace {

std::string name(const Row& row) { return arm_text(row); }

std::string how_sure(const RatioEstimate& estimate) {
  return msda::how_sure(estimate.interval_95, estimate.replication, estimate.replicates);
}

/// Of a ratio that was the best of several: its interval holds for all of them.
std::string how_sure_of_best(const Leader& leader) {
  std::string sure = how_sure(*leader.over_baseline);
  if (leader.compared < 2 || !leader.over_baseline->interval_95) return sure;
  return fmt::format("{}, for the best of {}", sure, leader.compared);
}

/// The best and its rivals: "a and b", "a, b and c", "a, b and 3 more".
std::string first_ones(const Table& table, const Leader& leader) {
  constexpr std::size_t kMost = 3;
  const std::size_t count = leader.rivals.size() + 1;
  const std::size_t named = count <= kMost ? count - 1 : kMost - 1;
  std::string text = name(table.rows[leader.best]);
  if (count == 1) return text;
  for (std::size_t i = 1; i < named; ++i) text += ", " + name(table.rows[leader.rivals[i - 1]]);
  if (count <= kMost) return text + " and " + name(table.rows[leader.rivals.back()]);
  return fmt::format("{} and {} more", text, count - named);
}

/// How far everybody else is behind an arm that is the fastest.
std::string field_behind(const Table& table, const Leader& leader, std::size_t arms) {
  const RatioEstimate& next = *leader.next_over_best;
  if (arms == 2) {
    return fmt::format("{} takes {} its time ({}).", name(table.rows[leader.next]),
                       ratio_text(next.ratio), how_sure(next));
  }
  return fmt::format("Every other arm surely takes at least {} its time; the next, {}, {}.",
                     ratio_text(leader.margin), name(table.rows[leader.next]),
                     ratio_text(next.ratio));
}

std::string sole_winner(const Table& table, const Leader& leader, std::size_t arms) {
  const Row& best = table.rows[leader.best];
  if (leader.best != leader.candidate) {
    return fmt::format("The baseline {} is the fastest. {}", name(best),
                       field_behind(table, leader, arms));
  }
  if (!leader.over_baseline) {
    return fmt::format("{} is the fastest, {}; the baseline has no time to compare with. {}",
                       name(best), time_scale(best.median_seconds).text(best.median_seconds),
                       field_behind(table, leader, arms));
  }
  const std::string first =
      fmt::format("{} is the fastest: {} the speed of the baseline ({}).", name(best),
                  ratio_text(leader.over_baseline->ratio), how_sure_of_best(leader));
  return arms == 2 ? first : first + " " + field_behind(table, leader, arms);
}

std::string shared_win(const Table& table, const Leader& leader) {
  return fmt::format(
      "{} share the first place: they are not told apart. {} has {} the speed of "
      "the baseline ({}).",
      first_ones(table, leader), name(table.rows[leader.best]),
      ratio_text(leader.over_baseline->ratio), how_sure_of_best(leader));
}

/// Rows are each compared by itself; the leader was picked among them, which asks for more.
std::string none_surely_faster(const Table& table, const Leader& leader, const Row& baseline) {
  const std::size_t single = count_faster(table);
  const std::string best = fmt::format(
      "the best estimate is {} with {} its speed ({})", name(table.rows[leader.candidate]),
      ratio_text(leader.over_baseline->ratio), how_sure_of_best(leader));
  if (single == 0) {
    return fmt::format("No arm is surely faster than the baseline {}: {}.", name(baseline), best);
  }
  return fmt::format(
      "Compared one by one with the baseline {}, {} of {} arms {} faster; picked as the best of "
      "them, none surely is: {}.",
      name(baseline), single, leader.compared, single == 1 ? "is" : "are", best);
}

std::string no_winner(const Table& table, const Leader& leader) {
  const Row* baseline = baseline_row(table);
  if (baseline == nullptr || !baseline->timed()) {
    return fmt::format(
        "{} are not told apart in first place; the baseline has no time to compare "
        "with.",
        first_ones(table, leader));
  }
  if (!leader.over_baseline) {
    return fmt::format("{} has the lowest median, but no block in common with the baseline {}.",
                       name(table.rows[leader.candidate]), name(*baseline));
  }
  if (classify(*leader.over_baseline) == Difference::kEqual && count_faster(table) == 0) {
    return fmt::format(
        "No arm beats the baseline {}: the fastest, {}, is equal to it within "
        "{:.0f}% ({}).",
        name(*baseline), name(table.rows[leader.candidate]), kEquivalence * 100,
        how_sure_of_best(leader));
  }
  return none_surely_faster(table, leader, *baseline);
}

/// "3 right, 1 wrong" of the arms without a time, or "".
std::string untimed_counts(const Table& table) {
  constexpr std::array<std::string_view, 8> kWithoutTime{
      "right", "wrong", "impossible", "skipped", "failed", "crashed", "hung", "interrupted"};
  std::string text;
  for (const std::string_view verdict : kWithoutTime) {
    const auto count =
        std::ranges::count_if(table.rows, [&](const Row& row) { return row.verdict == verdict; });
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, verdict);
  }
  return text;
}

/// The baseline's code under another name takes no place of its own, but has a time in the table.
std::string of_only_arm(const Table& table, const Row& only) {
  const std::string time = time_scale(only.median_seconds).text(only.median_seconds);
  const auto copy = std::ranges::find_if(
      table.rows, [](const Row& row) { return row.timed() && row.repeats_baseline; });
  if (copy == table.rows.end()) {
    return fmt::format("{} is the only arm with a time: {}.", name(only), time);
  }
  return fmt::format(
      "{} and {} are one arm, the same composition twice: there is nothing to compare. {} "
      "takes {}.",
      name(only), name(*copy), name(only), time);
}

std::string of_timed(const Table& table, const std::vector<const Row*>& timed) {
  const auto& leader = table.leader;
  if (!leader) return of_only_arm(table, *timed.front());
  switch (leader->standing) {
    case Standing::kFastest: return sole_winner(table, *leader, timed.size());
    case Standing::kShared: return shared_win(table, *leader);
    case Standing::kNone: break;
  }
  return no_winner(table, *leader);
}

// --- Effects

/// Effects with one of the verdicts, the strongest first.
std::vector<const Effect*> with_verdict(const EffectFamily& family, EffectVerdict verdict) {
  std::vector<const Effect*> effects;
  for (const Effect& effect : family.effects) {
    if (effect.verdict == verdict) effects.push_back(&effect);
  }
  std::ranges::stable_sort(effects, [](const Effect* a, const Effect* b) {
    return std::abs(std::log(*a->ratio)) > std::abs(std::log(*b->ratio));
  });
  return effects;
}

std::string effect_name(const Effect& effect) { return printable_line(effect.label); }

std::string name_and_ratio(const Effect& effect) {
  return fmt::format("{} {}", effect_name(effect), ratio_text(*effect.ratio));
}

template <class Text>
std::string listed(const std::vector<const Effect*>& effects, const Text& text) {
  std::vector<std::string> texts;
  texts.reserve(effects.size());
  for (const Effect* effect : effects) texts.push_back(text(*effect));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string total_of(const AblationTable& table) {
  const EffectFamily* family = find_family(table, EffectKind::kTotal);
  if (family == nullptr || !family->effects.front().ratio) return "";
  const Effect& all = family->effects.front();
  return fmt::format("All factors together: {} the speed of the base, {} ({}). ",
                     ratio_text(*all.ratio), name_of(all.verdict),
                     msda::how_sure(all.ratio_95, all.replication, all.replicates));
}

std::string what_pays(const EffectFamily& family) {
  std::vector<const Effect*> pays = with_verdict(family, EffectVerdict::kBetter);
  if (pays.empty()) return fmt::format("No factor surely pays, {}. ", view_of(family.kind));
  const Effect& best = *pays.front();
  std::string text = fmt::format("{} pays most, {}: {} ({})", effect_name(best),
                                 view_of(family.kind), ratio_text(*best.ratio),
                                 msda::how_sure(best.ratio_95, best.replication, best.replicates));
  pays.erase(pays.begin());
  if (!pays.empty()) text += "; then " + listed(pays, name_and_ratio);
  return text + ". ";
}

std::string the_rest(const EffectFamily& family) {
  std::string text;
  const auto add = [&](const char* what, EffectVerdict verdict, const auto& form) {
    const auto effects = with_verdict(family, verdict);
    if (!effects.empty()) text += fmt::format("{}: {}. ", what, listed(effects, form));
  };
  add("Costs time", EffectVerdict::kWorse, name_and_ratio);
  add("No difference", EffectVerdict::kEqual, effect_name);
  add("Undecided", EffectVerdict::kUndecided, name_and_ratio);
  return text;
}

/// Of those that are surely there.
std::string strongest_interaction(const AblationTable& table) {
  const EffectFamily* family = find_family(table, EffectKind::kInteraction);
  if (family == nullptr) return "";
  const auto helping = with_verdict(*family, EffectVerdict::kBetter);
  const auto hindering = with_verdict(*family, EffectVerdict::kWorse);
  std::string text;
  if (!helping.empty()) text += "Most worth together: " + name_and_ratio(*helping.front()) + ". ";
  if (!hindering.empty()) {
    text += "Most in each other's way: " + name_and_ratio(*hindering.front()) + ". ";
  }
  return text;
}

}  // namespace

std::string headline(const Table& table) {
  const std::vector<const Row*> timed = fastest_first(table);
  const std::string untimed = untimed_counts(table);
  if (timed.empty()) {
    return untimed.empty() ? "No arm has a time." : fmt::format("No arm has a time: {}.", untimed);
  }
  const std::string text = of_timed(table, timed);
  return untimed.empty() ? text : fmt::format("{} Without a time: {}.", text, untimed);
}

std::string_view view_of(EffectKind kind) {
  if (kind == EffectKind::kMain) return "averaged over the other factors";
  return kind == EffectKind::kLeaveOneOut ? "on top of all the others" : "alone on the base";
}

std::string headline(const AblationTable& table) {
  std::string text = total_of(table);
  if (const EffectFamily* family = telling_family(table)) {
    text += what_pays(*family) + the_rest(*family);
  }
  text += strongest_interaction(table);
  if (!text.empty()) text.pop_back();  // the space after the last sentence
  return text;
}

}  // namespace msda
