#include "render/search_layout.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reason_counts.hpp"
#include "render/text.hpp"

namespace msda {
namespace {

std::string place_of(const SearchReport& search) {
  return fmt::format("{}, {}", printable_line(search.problem), name_of(search.mode));
}

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

std::string outcome_of(const SearchReport& search) {
  if (search.finalists.empty()) return without_a_time(search);
  const bool confirmed = std::any_of(search.finalists.begin(), search.finalists.end(),
                                     [](const auto& one) { return one.confirmation.has_value(); });
  if (!confirmed) {
    return fmt::format("{} led the search, {} over {}; nothing is confirmed yet.",
                       search.finalists.front().name,
                       ratio_text(search.finalists.front().searched_gain), search.baseline);
  }
  // How little a search saw belongs to what it says.
  const std::string cut_short =
      search.out_of_time && search.left > 0
          ? fmt::format(" The budget ended the search after {} of {:.0f} points.",
                        tried_of(search).points, search.left)
          : "";
  if (!search.winner) {
    return fmt::format("Nothing is confirmed to be faster than {}.{}", search.baseline, cut_short);
  }
  const FinalistResult& winner = search.finalists[*search.winner];
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

Layout lay_out_finalists(const SearchReport& search) {
  Layout layout;
  layout.search = &search;
  layout.title = "Search: " + place_of(search);
  layout.headline = headline_of(search);
  if (search.winner) {
    const FinalistResult& winner = search.finalists[*search.winner];
    layout.gist = printable_line(winner.name) + " " + gain_text(winner.confirmation);
  }
  layout.columns = {
      {"finalist", false}, {"searched"}, {"confirmed [95%]"}, {"p (Holm)"}, {"verdict", false}};
  for (const FinalistResult& finalist : search.finalists) {
    const auto& confirmation = finalist.confirmation;
    const std::string verdict = confirmation ? confirmation->verdict : "not run";
    layout.rows.push_back(
        {printable_line(finalist.name), ratio_text(finalist.searched_gain), gain_text(confirmation),
         confirmation ? fmt::format("{:.2g}", confirmation->p) : kAbsent, verdict});
    layout.verdicts.push_back(verdict == "confirmed" ? "faster" : verdict);
    layout.remarks.push_back(
        fmt::format("{}: {}", printable_line(finalist.name), printable_line(finalist.description)));
  }
  if (!search.tried.empty()) layout.remarks.push_back(account_of(search));
  for (std::string& one : failure_remarks(search)) layout.remarks.push_back(std::move(one));
  return layout;
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
  const auto most = std::max_element(
      search.factors.begin(), search.factors.end(),
      [](const auto& a, const auto& b) { return a.shares.total_of_all < b.shares.total_of_all; });
  const FactorShares& shares = most->shares;
  const std::string there =
      shares.everywhere ? ""
                        : fmt::format(" (of the points that have it {:.0f}%)", 100 * shares.total);
  return fmt::format(
      "{} matters most: with its interactions {:.0f}% of the variance of log time{}. {}",
      most->factor, 100 * shares.total_of_all, there, landscape_of(search));
}

Layout lay_out_factors(const SearchReport& search) {
  Layout layout;
  layout.title = "Factors of the search: " + place_of(search);
  layout.headline = factors_headline(search);
  layout.columns = {{"factor", false}, {"level", false}, {"own share"},     {"with interactions"},
                    {"tried"},         {"best with it"}, {"at the winner"}, {"", false}};
  for (const FactorWorth& factor : search.factors) {
    bool first = true;
    for (const LevelWorth& level : factor.levels) {
      const std::string mark = level.of_the_winner    ? "winner's"
                               : !level.at_the_winner ? kAbsent
                               : level.measured       ? "measured"
                                                      : "predicted";
      layout.rows.push_back({first ? printable_line(factor.factor) : "",
                             printable_line(level.level),
                             first ? fmt::format("{:.1f}%", 100 * factor.shares.own) : "",
                             first ? fmt::format("{:.1f}%", 100 * factor.shares.total) : "",
                             fmt::format("{}", level.tried), cost_text(level.best_with_it),
                             cost_text(level.at_the_winner), mark});
      layout.verdicts.emplace_back(level.of_the_winner ? "faster" : "equal");
      first = false;
    }
  }
  layout.remarks.push_back(
      "own share: of the variance of log time over the space, as the model of main effects and "
      "interactions has it; with interactions: the same with all that the factor takes part in; "
      "both, of a parameter that only some alternatives have, over the points that have it. "
      "best with it: the fastest candidate that has the level over the fastest of all. at the "
      "winner: the winner with this one change over the winner, measured or predicted.");
  return layout;
}

}  // namespace

std::vector<Layout> search_layouts(const Report& report) {
  std::vector<Layout> layouts;
  for (const SearchReport& search : report.searches) {
    layouts.push_back(lay_out_finalists(search));
    if (!search.factors.empty()) layouts.push_back(lay_out_factors(search));
  }
  return layouts;
}

}  // namespace msda
