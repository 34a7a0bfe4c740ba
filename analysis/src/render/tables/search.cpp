#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reason_counts.hpp"
#include "render/tables/tables.hpp"
#include "render/text/text.hpp"
#include "statistics/statistics.hpp"

namespace msda {
namespace {

/// "1.243x [1.238, 1.249]", or "-".
std::string gain_text(const std::optional<Confirmation>& confirmation) {
  if (!confirmation || !confirmation->gain) return kAbsent;
  return ratio_text(*confirmation->gain, confirmation->gain_95);
}

/// What was tried: points of the space, and arms of the experiment that are none.
struct Tried {
  std::size_t points = 0;
  std::size_t arms = 0;
  std::size_t untimed = 0;  ///< of both
};

Tried tried_of(const SearchReport& search) {
  Tried tried;
  for (const TriedCandidate& candidate : search.tried) {
    ++(candidate.levels.empty() ? tried.arms : tried.points);
    if (!candidate.timed()) ++tried.untimed;
  }
  return tried;
}

/// Why candidates have no time, the most frequent reasons first.
std::vector<ReasonCounts::Entry> failures_of(const SearchReport& search) {
  ReasonCounts counts;
  for (const TriedCandidate& candidate : search.tried) {
    if (!candidate.failure.empty()) counts.add(shortened(printable(candidate.failure)));
  }
  return counts.most_first();
}

/// "No candidate has a time: all 7 failed, most often (5 of 7) like this: crashed: signal 11."
std::string without_a_time(const SearchReport& search) {
  const std::vector<ReasonCounts::Entry> failures = failures_of(search);
  if (failures.empty()) return "No candidate was tried.";
  const ReasonCounts::Entry& most = failures.front();
  const std::string line = printable_line(first_line(most.reason));
  const std::size_t count = search.tried.size();
  if (failures.size() == 1) {
    return fmt::format("No candidate has a time; {} failed: {}.",
                       count == 1 ? "the only one" : fmt::format("all {}", count), line);
  }
  return fmt::format("No candidate has a time; all {} failed, {} of them like this: {}.", count,
                     most.count, line);
}

/// "No point of the space is left to try, of 12: 8 removed, excluded: a=b; 4 removed, ..."; or "".
std::string nothing_left(const SearchReport& search) {
  constexpr std::size_t kMost = 3;
  if (search.left > 0 || search.points <= 0) return "";
  std::string text = fmt::format("No point of the space is left to try, of {:.0f}", search.points);
  for (std::size_t i = 0; i < std::min(search.removed.size(), kMost); ++i) {
    const RemovedPoints& one = search.removed[i];
    text += fmt::format("{} {:.0f} removed: {}", i == 0 ? ":" : ";", one.points,
                        printable_line(first_line(one.reason)));
  }
  if (search.removed.size() > kMost) {
    text += fmt::format("; and for {}", how_many(search.removed.size() - kMost, "more reason"));
  }
  return text + ".";
}

/// Of a finalist that may be faster, where too few processes have told.
std::string open_question_of(const SearchReport& search) {
  if (!search.together.empty()) return "";
  for (const FinalistResult& one : search.finalists) {
    const auto& told = one.confirmation;
    if (!told || told->verdict != "not confirmed" || *told->gain <= 1 + kEquivalence) continue;
    return fmt::format(
        " {} seems {} as fast, which is not confirmed: a larger --budget asks more processes.",
        printable_line(one.name), gain_text(told));
  }
  return "";
}

std::string outcome_of(const SearchReport& search) {
  if (search.finalists.empty()) return without_a_time(search);
  const bool confirmed = std::ranges::any_of(
      search.finalists, [](const auto& one) { return one.confirmation.has_value(); });
  if (!confirmed) {
    const FinalistResult& first = search.finalists.front();
    return fmt::format("{} led the search, {} over {}; nothing is confirmed yet. It is {}.",
                       first.name, ratio_text(first.searched_gain), search.baseline,
                       first.description);
  }
  // How little a search saw belongs to what it says.
  const std::string cut_short =
      search.out_of_time && search.left > 0
          ? fmt::format(" The budget ended the search after {} of {:.0f} points.",
                        tried_of(search).points, search.left)
          : "";
  if (!search.winner) {
    const std::string where =
        search.together.empty() ? "" : fmt::format(" on {} problems", search.together.size());
    return fmt::format("Nothing is confirmed to be faster than {}{}.{}{}", search.baseline, where,
                       open_question_of(search), cut_short);
  }
  const FinalistResult& winner = search.finalists[*search.winner];
  if (search.family) {
    const FamilyGain& family = *search.family;
    return fmt::format(
        "Over {} problems {} is {} as fast as {}, from {} on {} to {} on {}; the search had said "
        "{}. It is {}.{}",
        search.together.size(), winner.name, ratio_text(family.mean), search.baseline,
        ratio_text(family.least), printable_line(family.least_on), ratio_text(family.most),
        printable_line(family.most_on), ratio_text(winner.searched_gain), winner.description,
        cut_short);
  }
  return fmt::format("{} is {} as fast as {}, confirmed; the search had said {}. It is {}.{}",
                     winner.name, gain_text(winner.confirmation), search.baseline,
                     ratio_text(winner.searched_gain), winner.description, cut_short);
}

std::string headline_of(const SearchReport& search) {
  if (!search.failure.empty()) return "The search could not be made: " + search.failure + ".";
  if (!search.ended) return "The search has not ended.";
  const std::string nothing = nothing_left(search);
  if (nothing.empty()) return outcome_of(search);
  return search.tried.empty() ? nothing : nothing + " " + outcome_of(search);
}

std::string account_of(const SearchReport& search) {
  const Tried tried = tried_of(search);
  const std::string arms = tried.arms == 0 ? "" : " and " + how_many(tried.arms, "known arm");
  std::string text = fmt::format(
      "{:.0f} points, of which {:.0f} can run; {}{} tried in {:.0f} s, {} without a time",
      search.points, search.left, how_many(tried.points, "point"), arms, search.seconds,
      tried.untimed);
  if (search.ended && search.left == 0) return text + "; no point was left to try.";
  if (search.whole) return text + "; every point that can run was tried.";
  if (search.out_of_time) return text + "; the budget ended the search.";
  return text + "; nothing untried promised to be faster.";
}

/// "12 without a time: crashed: ..."
std::vector<std::string> failure_remarks(const SearchReport& search) {
  constexpr std::size_t kMost = 5;
  const std::vector<ReasonCounts::Entry> failures = failures_of(search);
  std::vector<std::string> remarks;
  for (std::size_t i = 0; i < std::min(failures.size(), kMost); ++i) {
    remarks.push_back(fmt::format("{} without a time: {}", failures[i].count, failures[i].reason));
  }
  if (failures.size() > kMost) {
    remarks.push_back(fmt::format("{} more reasons are in search.jsonl.", failures.size() - kMost));
  }
  return remarks;
}

Section finalists_of(const SearchReport& search) {
  Section section = section_named("Search: ", place_of(search));
  section.subject = &search;
  section.headline = headline_of(search);
  if (search.winner) {
    const FinalistResult& winner = search.finalists[*search.winner];
    section.gist = printable_line(winner.name) + " " + gain_text(winner.confirmation);
  }
  set_rows(section, finalist_columns(), search.finalists);
  for (std::string& verdict : section.verdicts) {
    if (verdict == "confirmed") verdict = "faster";
  }
  for (const FinalistResult& finalist : search.finalists) {
    section.remarks.push_back(
        fmt::format("{}: {}", printable_line(finalist.name), printable_line(finalist.description)));
  }
  if (!search.tried.empty()) section.remarks.push_back(account_of(search));
  if (!search.together.empty()) {
    section.remarks.push_back(
        fmt::format("One search for {} problems: its winner has the smallest geometric mean of "
                    "times over the baseline's, and searched gains are such means.",
                    search.together.size()));
  }
  for (std::string& one : failure_remarks(search)) section.remarks.push_back(std::move(one));
  return section;
}

std::string cost_text(const std::optional<double>& cost) {
  return cost ? fmt::format("{:.3f}x", *cost) : kAbsent;
}

std::string landscape_of(const SearchReport& search) {
  if (search.tried.empty() || !search.tried.front().timed()) return "";
  std::size_t timed = 0;
  while (timed < search.tried.size() && search.tried[timed].timed()) ++timed;
  const auto cost = [&](std::size_t place) {
    return std::exp(search.tried[place].log_time - search.tried.front().log_time);
  };
  return fmt::format(
      "Of the candidates with a time {:.0f}% are within 2% of the fastest, {:.0f}% within 10%; the "
      "one in the middle takes {:.2f} times as long, the slowest {:.2f} times.",
      100 * share_within(search, 1.02), 100 * share_within(search, 1.10), cost(timed / 2),
      cost(timed - 1));
}

/// The factor whose choice matters most, in words.
std::string factors_headline(const SearchReport& search) {
  const auto most = std::ranges::max_element(search.factors, [](const auto& a, const auto& b) {
    return a.shares.total_of_all < b.shares.total_of_all;
  });
  const FactorShares& shares = most->shares;
  const std::string there =
      shares.everywhere ? ""
                        : fmt::format(" (of the points that have it {:.0f}%)", 100 * shares.total);
  return fmt::format(
      "{} matters most: with its interactions {:.0f}% of the variance of log time{}. {}",
      most->factor, 100 * shares.total_of_all, there, landscape_of(search));
}

/// A level of a factor; the first one tells of the whole factor.
struct LevelLine {
  const FactorWorth& factor;
  const LevelWorth& level;
  bool first;

  std::string share(double share) const { return first ? fmt::format("{:.1f}%", 100 * share) : ""; }
  std::string mark() const {
    if (level.of_the_winner) return "winner's";
    if (!level.at_the_winner) return kAbsent;
    return level.measured ? "measured" : "predicted";
  }
};

const ColumnsOf<LevelLine>& level_columns() {
  using Line = LevelLine;
  static const ColumnsOf<Line> kColumns = {
      {"factor", Side::kWords,
       [](const Line& l) { return l.first ? printable_line(l.factor.factor) : ""; }},
      {"level", Side::kWords, [](const Line& l) { return printable_line(l.level.level); }},
      {"own share", Side::kNumbers, [](const Line& l) { return l.share(l.factor.shares.own); }},
      {"with interactions", Side::kNumbers,
       [](const Line& l) { return l.share(l.factor.shares.total); }},
      {"tried", Side::kNumbers, [](const Line& l) { return fmt::format("{}", l.level.tried); }},
      {"best with it", Side::kNumbers,
       [](const Line& l) { return cost_text(l.level.best_with_it); }},
      {"at the winner", Side::kNumbers,
       [](const Line& l) { return cost_text(l.level.at_the_winner); }},
      {"", Side::kWords, &Line::mark},
      {"verdict", kNowhere,
       [](const Line& l) { return l.level.of_the_winner ? "faster" : "equal"; }},
  };
  return kColumns;
}

Section factors_of(const SearchReport& search) {
  Section section = section_named("Factors of the search: ", place_of(search));
  section.headline = factors_headline(search);
  std::vector<LevelLine> lines;
  for (const FactorWorth& factor : search.factors) {
    for (const LevelWorth& level : factor.levels) {
      lines.push_back({factor, level, &level == &factor.levels.front()});
    }
  }
  set_rows(section, level_columns(), lines);
  section.remarks.push_back(
      "own share: of the variance of log time over the space, as the model of main effects and "
      "interactions has it; with interactions: the same with all that the factor takes part in; "
      "both, of a parameter that only some alternatives have, over the points that have it. "
      "best with it: the fastest candidate that has the level over the fastest of all. at the "
      "winner: the winner with this one change over the winner, measured or predicted.");
  return section;
}

}  // namespace

const ColumnsOf<FinalistResult>& finalist_columns() {
  using One = FinalistResult;
  static const ColumnsOf<One> kColumns = {
      {"name", kPeople | kJson, Look("finalist"), [](const One& f) { return f.name; }},
      {"description", kJson, [](const One& f) { return f.description; }},
      {"searched_gain", kPeople | kJson, Look("searched", ColumnUnit::kRatio),
       [](const One& f) { return f.searched_gain; }},
      {"confirmed", kPeople, Look("confirmed", ColumnUnit::kRatio),
       [](const One& f) {
         return f.confirmation ? Estimate(f.confirmation->gain, f.confirmation->gain_95)
                               : Estimate();
       }},
      {"confirmed_gain", kJson,
       [](const One& f) { return f.confirmation ? f.confirmation->gain : std::nullopt; }},
      {"confirmed_gain_95", kJson,
       [](const One& f) {
         const auto gain_95 = f.confirmation ? f.confirmation->gain_95 : std::nullopt;
         return gain_95 ? nlohmann::json{gain_95->low, gain_95->high} : nlohmann::json();
       }},
      {"p", kPeople | kJsonIfAny, Look("p (Holm)", ColumnUnit::kProbability),
       [](const One& f) { return of_member(f.confirmation, &Confirmation::p); }},
      {"verdict", kPeople | kJson, Look("verdict"),
       [](const One& f) { return f.confirmation ? f.confirmation->verdict : "not run"; }}};
  return kColumns;
}

std::vector<Section> search_sections(const Report& report) {
  std::vector<Section> sections;
  for (const SearchReport& search : report.searches) {
    sections.push_back(finalists_of(search));
    if (!search.factors.empty()) sections.push_back(factors_of(search));
  }
  return sections;
}

}  // namespace msda
