// How good the tests on the device simt are: device code is made wrong in one place at a time, and
// the checks of the quick tests, then those of the slow ones, must find it. A check finds an edit
// that fails with it and passes without.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "compose/unit_writer.hpp"
#include "conformance/levels.hpp"
#include "files/read.hpp"
#include "mutation/trial.hpp"
#include "support/recipe_checks.hpp"

namespace msda {
namespace {

/// Suites of the slow tests.
bool is_slow(const std::string& suite) {
  return suite == "parameters" || suite == "images" || suite == "combinations" ||
         suite == "numbers" || suite == "covering";
}

/// All checks, each with the unit that it compiles first.
struct Candidate {
  SimtCheck check;
  Unit unit;
};
const std::vector<Candidate>& candidates() {
  static const std::vector<Candidate> kCandidates = [] {
    std::vector<Candidate> all;
    for (const auto& suite :
         {alone_checks(), tile_checks(), side_checks(), parameter_checks(), offset_checks(),
          head_group_checks(), launch_checks(), value_checks(), fused_checks(),
          level_points_checks(), fused_backward_checks(), recipe_checks(), recipe_number_checks(),
          image_checks(), combination_checks(), backward_checks(), backward_level_checks(),
          covering_checks()}) {
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

/// The operators whose folders are no plugins', and a variant whose skeleton each borrows.
const std::map<std::string, std::string> kBorrowers = {{"fused", "default"},
                                                       {"fused-backward", "l2-red"}};

/// "tma_boxes/row_boxes.cuh" -> "tma-boxes"; of a file of the operator `backward` a variant that
/// names its default; "" for a file of the core.
std::string plugin_of(const std::string& file) {
  std::string name = file.substr(0, file.find('/'));
  std::replace(name.begin(), name.end(), '_', '-');
  if (name == "backward") return "l2-red";
  return name == "msda" ? "" : name;
}

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

/// The checks whose units include the mutant's file, those of few parts first, which compile
/// fastest: of the suite that the mutant names, then the other quick ones, then the slow ones.
std::vector<const Candidate*> by_parts(const Mutant& mutant) {
  std::vector<const Candidate*> chosen;
  for (const Candidate& candidate : candidates()) {
    if (includes(candidate.unit, mutant.file)) chosen.push_back(&candidate);
  }
  std::ranges::stable_sort(chosen, {}, [&](const Candidate* one) {
    const std::string& suite = one->check.suite;
    return std::pair{suite == mutant.first ? 0
                     : is_slow(suite)      ? 2
                                           : 1,
                     one->check.composition.parts().size()};
  });
  return chosen;
}

/// The same in the order in which they are tried. A suite of many parts would wait for all others:
/// so behind each check follows one of the suites in turn.
std::vector<const Candidate*> in_turn(const std::vector<const Candidate*>& ranked) {
  std::vector<std::pair<int, const Candidate*>> turns;
  std::map<std::string, int> of_suite;
  for (const Candidate* one : ranked) {
    const std::string& suite = one->check.suite;
    turns.emplace_back(of_suite[suite]++ + (is_slow(suite) ? std::ssize(candidates()) : 0), one);
  }
  std::ranges::stable_sort(turns, {}, &std::pair<int, const Candidate*>::first);
  std::set<const Candidate*> taken;
  std::vector<const Candidate*> order;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    for (const Candidate* one : {ranked[i], turns[i].second}) {
      if (taken.insert(one).second) order.push_back(one);
    }
  }
  return order;
}

/// Of a generated mutant, which may be of a line that few use, some checks of each suite and those
/// that have something new. Of a mutant that may change no result a few of each suite.
Trial trial_of(const Mutant& mutant) {
  const std::vector<const Candidate*> chosen = in_turn(by_parts(mutant));
  const std::ptrdiff_t most = mutant.is_generated         ? 8
                              : mutant.equivalent.empty() ? std::ssize(chosen)
                                                          : 4;
  std::map<std::string, std::ptrdiff_t> taken;
  std::set<std::string> seen;
  Trial trial{&mutant, {}};
  for (const Candidate* one : chosen) {
    const bool is_new = mutant.is_generated && adds_choices(one->check, seen);
    if (++taken[one->check.suite] <= most || is_new) trial.checks.push_back(&one->check);
  }
  return trial;
}

class Score {
 public:
  void add(const Trial& trial, const Outcome& outcome) {
    const Mutant& mutant = *trial.mutant;
    const bool changes = mutant.equivalent.empty();
    fmt::print("{:>3} {:<14} {}: {} ({} checks)\n", ++tried_,
               !outcome.valid  ? "no code"
               : outcome.found ? outcome.suite
               : !changes      ? "the same"
                               : "SURVIVED",
               mutant.file, mutant.what, outcome.tried);
    std::fflush(stdout);
    lines_.push_back({{"file", mutant.file},
                      {"what", mutant.what},
                      {"equivalent", mutant.equivalent},
                      {"valid", outcome.valid},
                      {"found", outcome.found},
                      {"suite", outcome.found ? outcome.suite : ""},
                      {"check", outcome.found ? outcome.check : ""},
                      {"how", outcome.how},
                      {"red", outcome.red},
                      {"unending", outcome.unending},
                      {"tried", outcome.tried}});
    red_.insert(outcome.red.begin(), outcome.red.end());
    if (!changes) {
      EXPECT_FALSE(outcome.found) << mutant.file << ", " << mutant.what
                                  << ": said to change no result, but " << outcome.suite << " "
                                  << outcome.check << " found: " << outcome.how;
    } else if (outcome.valid) {
      ++wrong_;
      if (outcome.found) ++found_;
      if (outcome.found && !is_slow(outcome.suite)) ++found_by_quick_;
    }
  }
  double share() const { return wrong_ == 0 ? 1 : double(found_) / wrong_; }
  double quick_share() const { return wrong_ == 0 ? 1 : double(found_by_quick_) / wrong_; }
  /// Checks that fail on code without an edit.
  const std::set<std::string>& red() const { return red_; }
  void report(const std::string& file) const {
    std::ofstream(MSDA_BINARY_DIR "/" + file) << lines_.dump(1) << "\n";
    fmt::print(
        "{} of {} wrong edits found ({:.1f}%), {} of them by the quick tests ({:.1f}%); {} edits "
        "that "
        "change nothing or do not compile; {} checks that fail without an edit\n",
        found_, wrong_, 100 * share(), found_by_quick_, 100 * quick_share(), tried_ - wrong_,
        red_.size());
  }

 private:
  int tried_ = 0;
  int wrong_ = 0;
  int found_ = 0;
  int found_by_quick_ = 0;
  std::set<std::string> red_;
  nlohmann::json lines_ = nlohmann::json::array();
};

std::vector<Mutant> all_mutants() {
  std::vector<Mutant> all;
  for (const char* file :
       {"mutants.yaml", "backward_mutants.yaml", "fused_backward_mutants.yaml"}) {
    std::ranges::move(read_mutants(std::filesystem::path(MSDA_MUTANTS) / file),
                      std::back_inserter(all));
  }
  return all;
}

/// A number from the environment.
std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

/// Those whose file and words contain MSDA_MUTANT, when that is set; of them every MSDA_STEP-th,
/// from the MSDA_FIRST-th on, counted from 0.
std::vector<Mutant> chosen(std::vector<Mutant> mutants) {
  if (const char* part = std::getenv("MSDA_MUTANT")) {
    std::erase_if(mutants, [&](const Mutant& mutant) {
      return (mutant.file + ": " + mutant.what).find(part) == std::string::npos;
    });
  }
  const std::uint64_t step = setting("MSDA_STEP", 1);
  const std::uint64_t first = setting("MSDA_FIRST", 0);
  std::erase_if(mutants, [step, first, i = std::uint64_t{0}](const Mutant&) mutable {
    return i++ % step != first;
  });
  return mutants;
}

Score score_of(const std::vector<Mutant>& mutants) {
  std::vector<Trial> trials;
  for (const Mutant& mutant : mutants) {
    Trial trial = trial_of(mutant);
    EXPECT_FALSE(trial.checks.empty() && !mutant.is_generated)
        << "no check includes " << mutant.file;
    if (!trial.checks.empty()) trials.push_back(std::move(trial));
  }
  Score score;
  run_trials(trials,
             [&](const Trial& trial, const Outcome& outcome) { score.add(trial, outcome); });
  EXPECT_THAT(score.red(), testing::IsEmpty()) << "checks fail without an edit";
  return score;
}

/// All device headers, of whichever plugin.
std::vector<UnitHeader> headers() {
  std::map<std::string, std::string> files;
  for (const Candidate& candidate : candidates()) {
    for (const UnitHeader& header : candidate.unit.headers) {
      const bool is_of_simt = header.path.starts_with("msda/simt/");  // not what ships for a GPU
      if (!is_of_simt) files.emplace(header.path, header.text);
    }
  }
  std::vector<UnitHeader> all;
  for (const auto& [path, text] : files) all.push_back({path, text});
  return all;
}

constexpr std::size_t kAll = 1'000'000;

/// What generate_mutants() makes of all device headers, less what left_out.yaml says to change no
/// result. A text of that file that fits no edit is in `unused`.
std::vector<Mutant> generated(std::size_t count, std::uint64_t seed,
                              std::vector<std::string>* unused = nullptr) {
  std::vector<Mutant> all = generate_mutants(headers(), kAll, seed);
  for (const Mutant& left_out :
       read_mutants(std::filesystem::path(MSDA_MUTANTS) / "left_out.yaml")) {
    const std::size_t before = all.size();
    std::erase_if(all, [&](const Mutant& mutant) {
      return mutant.file == left_out.file && mutant.find.find(left_out.find) != std::string::npos &&
             mutant.what.find(left_out.what) != std::string::npos;
    });
    if (unused != nullptr && all.size() == before) unused->push_back(left_out.find);
  }
  std::vector<Mutant> drawn;
  std::sample(std::make_move_iterator(all.begin()), std::make_move_iterator(all.end()),
              std::back_inserter(drawn), count, std::mt19937_64(seed));
  return drawn;
}

TEST(Mutants, WhatIsLeftOutIsStillThere) {
  std::vector<std::string> unused;
  EXPECT_GT(generated(kAll, 1, &unused).size(), 1000U);
  EXPECT_THAT(unused, testing::IsEmpty());
}

TEST(Mutants, AllFitTheDeviceCode) {
  std::set<std::string> words;
  for (const Mutant& mutant : all_mutants()) {
    EXPECT_TRUE(words.insert(mutant.file + mutant.what).second) << "twice: " << mutant.what;
    const auto uses = plugin_of(mutant.file);
    const auto borrower = kBorrowers.find(uses);
    const Composition composition =
        borrower != kBorrowers.end()
            ? shipped_composition(borrower->second).computing(find_operator(uses))
            : shipped_composition(uses.empty() ? "default" : uses);
    Unit unit = write_unit(composition, awkward_problems()[3].problem).unit;
    EXPECT_NO_THROW(apply(mutant, unit)) << mutant.file << ", " << mutant.what;
  }
}

TEST(Mutants, AllFitTheHostCode) {
  for (const Mutant& mutant :
       read_mutants(std::filesystem::path(MSDA_MUTANTS) / "host_mutants.yaml")) {
    const std::string text = read_text(std::filesystem::path(MSDA_SOURCE_DIR) / mutant.file);
    const std::size_t at = text.find(mutant.find);
    EXPECT_NE(at, std::string::npos) << mutant.file << ", " << mutant.what;
    EXPECT_EQ(text.find(mutant.find, at + 1), std::string::npos)
        << mutant.file << ", " << mutant.what;
  }
}

TEST(Mutants, AreFoundUnlessTheyChangeNothing) {
  const std::vector<Mutant> mutants = chosen(all_mutants());
  const Score score = score_of(mutants);
  score.report("mutation.json");
  if (mutants.size() < all_mutants().size()) return;  // of a few one is too many
  EXPECT_GE(score.share(), 0.97);
  EXPECT_GE(score.quick_share(), 0.92);
}

/// Some of these change no result still: left_out.yaml has those that somebody has looked at.
TEST(Mutants, ThatNobodyThoughtOfAreFoundAsARule) {
  const std::vector<Mutant> mutants =
      chosen(generated(setting("MSDA_GENERATED", 60), setting("MSDA_SEED", 20261125)));
  const Score score = score_of(mutants);
  score.report("mutation-generated.json");
  constexpr std::size_t kMany = 50;
  if (mutants.size() < kMany) return;
  EXPECT_GE(score.share(), 0.8);
}

TEST(Mutants, AreGeneratedWithTheSameWordsForASeed) {
  const std::vector<UnitHeader> files = {
      {"a.cuh",
       "// f\nint f(int n) {\n  if (n < 3) return n - 1;\n  add(n, m);\n  return n + 1;\n}\n"}};
  const std::vector<Mutant> all = generate_mutants(files, 100, 1);
  std::vector<std::string> words;
  for (const Mutant& mutant : all) words.push_back(mutant.what);
  EXPECT_THAT(
      words, testing::IsSupersetOf({"negated condition: if (n < 3) return n - 1;",
                                    "statement dropped: add(n, m);",
                                    "arguments exchanged: add(n, m);", "one more: return n + 1;"}));
  for (const Mutant& mutant : all) {
    Unit unit;
    unit.headers = files;
    apply(mutant, unit);
    EXPECT_NE(unit.headers.front().text, files.front().text) << mutant.what;
  }
  EXPECT_EQ(generate_mutants(files, 2, 7).front().what, generate_mutants(files, 2, 7).front().what);
}

}  // namespace
}  // namespace msda
