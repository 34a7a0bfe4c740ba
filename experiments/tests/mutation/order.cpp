#include "mutation/order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "compose/unit_writer.hpp"
#include "conformance/levels.hpp"
#include "mutation/code_lines.hpp"
#include "parallel.hpp"
#include "support/recipe_checks.hpp"

namespace msda {
namespace {

/// Whether a check has a variant, a choice of one, or an operator that those in `seen` have not.
bool adds_choices(const SimtCheck& check, std::set<std::string>& seen) {
  bool adds = seen.insert(std::string(check.composition.op().name())).second;
  for (const Part& part : check.composition.parts()) {
    adds = seen.insert(part.plugin->name).second || adds;
    for (const auto& [name, value] : part.parameters.values()) {
      const std::string choice = fmt::format("{}.{}={}", part.plugin->name, name, to_string(value));
      adds = seen.insert(choice).second || adds;
    }
  }
  return adds;
}

/// Whether a mutant names the check's suite or one of its variants.
bool is_named(const SimtCheck& check, const Mutant& mutant) {
  if (check.suite == mutant.first) return true;
  return std::ranges::any_of(check.composition.parts(),
                             [&](const Part& part) { return part.plugin->name == mutant.first; });
}

/// Of each quick check; of slow ones none, whose units nobody compiled before.
const std::vector<CodeLines>& lines_of_candidates() {
  static const std::vector<CodeLines> kLines = [] {
    std::vector<CodeLines> lines(candidates().size());
    parallel_for(std::ssize(lines), 1, 0, [&](std::int64_t begin, std::int64_t) {
      const Candidate& candidate = candidates()[static_cast<std::size_t>(begin)];
      if (!is_slow(candidate.check.suite)) {
        lines[static_cast<std::size_t>(begin)] = code_lines(candidate.unit);
      }
    });
    return lines;
  }();
  return kLines;
}

/// Whether the candidate's unit has code of a line that the mutant changes. The compiler leaves
/// nothing of some lines.
bool has_code_of(const Candidate& candidate, const Mutant& mutant) {
  const auto header = std::ranges::find(candidate.unit.headers, mutant.file, &UnitHeader::path);
  const auto begin = header->text.begin();
  const auto at = begin + static_cast<std::ptrdiff_t>(header->text.find(mutant.find));
  const auto first = static_cast<int>(std::count(begin, at, '\n')) + 1;
  const auto last = first + static_cast<int>(std::ranges::count(mutant.find, '\n'));
  const std::string name = mutant.file.substr(mutant.file.rfind('/') + 1);
  const CodeLines& lines = lines_of_candidates()[std::size_t(&candidate - candidates().data())];
  const auto found = lines.lower_bound({name, first});
  return found != lines.end() && *found <= std::pair{name, last};
}

/// A check whose unit includes the mutant's file, and what comes before it.
struct Ranked {
  const Candidate* candidate;
  int group;  ///< 0: named by the mutant; 1: quick, with code of the lines; 2: quick; 3: slow
  bool has_code;
};

Ranked rank_of(const Candidate& candidate, const Mutant& mutant) {
  const bool has_code = has_code_of(candidate, mutant);
  const int group = is_slow(candidate.check.suite) ? 3 : has_code ? 1 : 2;
  return {&candidate, is_named(candidate.check, mutant) ? 0 : group, has_code};
}

/// The groups one after the other, in each the checks of few parts first, which compile fastest.
std::vector<Ranked> ranked(const Mutant& mutant) {
  std::vector<Ranked> chosen;
  for (const Candidate& candidate : candidates()) {
    if (includes(candidate.unit, mutant.file)) chosen.push_back(rank_of(candidate, mutant));
  }
  std::ranges::stable_sort(chosen, {}, [&](const Ranked& one) {
    return std::tuple{one.group, !one.has_code, one.candidate->check.composition.parts().size()};
  });
  return chosen;
}

/// The same in the order in which they are tried. A suite of many parts would wait for all others:
/// so behind each check follows one of the group's suites in turn.
std::vector<const Candidate*> in_turn(const std::vector<Ranked>& ranked) {
  std::vector<std::pair<std::pair<int, int>, const Candidate*>> turns;
  std::map<std::pair<int, std::string>, int> of_suite;
  for (const auto& [one, group, _] : ranked) {
    turns.emplace_back(std::pair{group, of_suite[{group, one->check.suite}]++}, one);
  }
  std::ranges::stable_sort(turns, {}, [](const auto& turn) { return turn.first; });
  std::set<const Candidate*> taken;
  std::vector<const Candidate*> order;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    for (const Candidate* one : {ranked[i].candidate, turns[i].second}) {
      if (taken.insert(one).second) order.push_back(one);
    }
  }
  return order;
}

}  // namespace

bool is_slow(const std::string& suite) {
  return suite == "parameters" || suite == "images" || suite == "combinations" ||
         suite == "numbers" || suite == "covering";
}

const std::vector<Candidate>& candidates() {
  static const std::vector<Candidate> kCandidates = [] {
    std::vector<Candidate> all;
    for (const auto& suite :
         {alone_checks(), tile_checks(), side_checks(), parameter_checks(), offset_checks(),
          head_group_checks(), launch_checks(), value_checks(), fused_checks(),
          level_points_checks(), fused_backward_checks(), recipe_checks(), recipe_number_checks(),
          image_checks(), combination_checks(), forward_level_checks(), backward_checks(),
          backward_level_checks(), covering_checks()}) {
      for (const SimtCheck& check : suite) {
        // The processes of the trials share the cases that are made here.
        const Problem problem = check.cases.empty() ? awkward_cases().front().problem
                                                    : check.pool().at(check.cases.front()).problem;
        all.push_back({check, write_unit(check.composition, problem).unit});
      }
    }
    return all;
  }();
  return kCandidates;
}

Trial trial_of(const Mutant& mutant) {
  const bool is_certain = !mutant.is_generated && mutant.equivalent.empty();
  const int most = mutant.is_generated ? 8 : is_certain ? 12 : 2;
  std::map<std::string, int> taken;
  std::set<std::string> seen;
  Trial trial{&mutant, {}};
  for (const Candidate* one : in_turn(ranked(mutant))) {
    const bool is_new = mutant.equivalent.empty() && adds_choices(one->check, seen);
    const bool is_wanted =
        is_certain && (!is_slow(one->check.suite) || is_named(one->check, mutant));
    if (++taken[one->check.suite] <= most || is_new || is_wanted) {
      trial.checks.push_back(&one->check);
    }
  }
  return trial;
}

void Finders::add(const Trial& trial, const Outcome& outcome) {
  if (!outcome.found || is_slow(outcome.suite)) return;
  const auto check = std::ranges::find_if(trial.checks, [&](const SimtCheck* one) {
    return one->suite == outcome.suite && one->name == outcome.check;
  });
  ++found_[trial.mutant->file][*check];
}

void Finders::move_to_front(Trial& trial) const {
  const auto of_file = found_.find(trial.mutant->file);
  if (of_file == found_.end()) return;
  constexpr std::size_t kMost = 4;
  std::vector<const SimtCheck*> best;
  for (const auto& [check, count] : of_file->second) {
    if (trial.mutant->first.empty() || is_named(*check, *trial.mutant)) best.push_back(check);
  }
  std::ranges::stable_sort(best, std::greater(),
                           [&](auto* one) { return of_file->second.at(one); });
  best.resize(std::min(best.size(), kMost));
  std::erase_if(trial.checks, [&](auto* one) { return std::ranges::count(best, one) > 0; });
  trial.checks.insert(trial.checks.begin(), best.begin(), best.end());
}

}  // namespace msda
