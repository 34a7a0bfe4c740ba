// How good the tests on the device simt are: device code is made wrong in one place at a time, and
// the checks of the quick tests, then those of the slow ones, must find it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "compose/unit_writer.hpp"
#include "mutation/trial.hpp"
#include "support/recipe_checks.hpp"

namespace msda {
namespace {

/// Suites of the slow tests.
bool is_slow(const std::string& suite) {
  return suite == "parameters" || suite == "images" || suite == "combinations" ||
         suite == "numbers";
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
          head_group_checks(), launch_checks(), recipe_checks(), recipe_number_checks(),
          image_checks(), combination_checks(), backward_checks()}) {
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

/// "tma_boxes/row_boxes.cuh" -> "tma-boxes"; of a file of the operator `backward` a variant that
/// names its default; "" for a file of the core.
std::string plugin_of(const std::string& file) {
  std::string name = file.substr(0, file.find('/'));
  std::replace(name.begin(), name.end(), '_', '-');
  if (name == "backward") return "l2-red";
  return name == "msda" ? "" : name;
}

/// The checks whose units include the mutant's file. First those of the suite that the mutant
/// names, and of few parts, which compile fastest; the slow ones last. Of an equivalent mutant a
/// few of each.
Trial trial_of(const Mutant& mutant) {
  std::vector<const Candidate*> chosen;
  for (const Candidate& candidate : candidates()) {
    if (includes(candidate.unit, mutant.file)) chosen.push_back(&candidate);
  }
  const auto rank = [&](const Candidate* one) {
    const int suite = one->check.suite == mutant.first ? 0 : is_slow(one->check.suite) ? 2 : 1;
    return std::pair{suite, one->check.composition.parts().size()};
  };
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](const Candidate* a, const Candidate* b) { return rank(a) < rank(b); });
  constexpr std::ptrdiff_t kOfEquivalents = 4;
  std::map<std::string, std::ptrdiff_t> taken;
  Trial trial{&mutant, {}};
  for (const Candidate* one : chosen) {
    if (!mutant.equivalent.empty() && ++taken[one->check.suite] > kOfEquivalents) continue;
    trial.checks.push_back(&one->check);
  }
  return trial;
}

class Score {
 public:
  void add(const Trial& trial, const Outcome& outcome) {
    const Mutant& mutant = *trial.mutant;
    ++tried_;
    fmt::print("{:>3} {:<9} {}: {}\n", tried_,
               outcome.found               ? outcome.suite
               : mutant.equivalent.empty() ? "SURVIVED"
                                           : "the same",
               mutant.file, mutant.what);
    std::fflush(stdout);
    lines_.push_back({{"file", mutant.file},
                      {"what", mutant.what},
                      {"equivalent", mutant.equivalent},
                      {"found", outcome.found},
                      {"suite", outcome.found ? outcome.suite : ""},
                      {"check", outcome.found ? outcome.check : ""},
                      {"how", outcome.how},
                      {"tried", outcome.tried}});
    if (!mutant.equivalent.empty()) {
      EXPECT_FALSE(outcome.found) << mutant.file << ", " << mutant.what
                                  << ": said to change no result, but " << outcome.suite << " "
                                  << outcome.check << " found: " << outcome.how;
      return;
    }
    ++wrong_;
    if (outcome.found) ++found_;
    if (outcome.found && !is_slow(outcome.suite)) ++found_by_quick_;
    EXPECT_TRUE(outcome.found) << mutant.file << ", " << mutant.what << ": nothing finds it";
  }
  double quick_share() const { return wrong_ == 0 ? 1 : double(found_by_quick_) / wrong_; }
  void report() const {
    std::ofstream(MSDA_BINARY_DIR "/mutation.json") << lines_.dump(1) << "\n";
    fmt::print(
        "{} of {} wrong edits found, {} of them by the quick tests; {} edits that change "
        "nothing\n",
        found_, wrong_, found_by_quick_, tried_ - wrong_);
  }

 private:
  int tried_ = 0;
  int wrong_ = 0;
  int found_ = 0;
  int found_by_quick_ = 0;
  nlohmann::json lines_ = nlohmann::json::array();
};

std::vector<Mutant> all_mutants() {
  std::vector<Mutant> all;
  for (const char* file : {"mutants.yaml", "backward_mutants.yaml"}) {
    std::ranges::move(read_mutants(std::filesystem::path(MSDA_MUTANTS) / file),
                      std::back_inserter(all));
  }
  return all;
}

/// Those whose file and words contain MSDA_MUTANT, when that is set.
std::vector<Mutant> chosen_mutants() {
  std::vector<Mutant> mutants = all_mutants();
  if (const char* part = std::getenv("MSDA_MUTANT")) {
    std::erase_if(mutants, [&](const Mutant& mutant) {
      return (mutant.file + ": " + mutant.what).find(part) == std::string::npos;
    });
  }
  return mutants;
}

TEST(Mutants, AllFitTheDeviceCode) {
  std::set<std::string> words;
  for (const Mutant& mutant : all_mutants()) {
    EXPECT_TRUE(words.insert(mutant.file + mutant.what).second) << "twice: " << mutant.what;
    const auto uses = plugin_of(mutant.file);
    Unit unit = write_unit(shipped_composition(uses.empty() ? "default" : uses),
                           awkward_problems()[3].problem)
                    .unit;
    EXPECT_NO_THROW(apply(mutant, unit)) << mutant.file << ", " << mutant.what;
  }
}

TEST(Mutants, AreFoundUnlessTheyChangeNothing) {
  const std::vector<Mutant> mutants = chosen_mutants();
  std::vector<Trial> trials;
  for (const Mutant& mutant : mutants) {
    trials.push_back(trial_of(mutant));
    EXPECT_FALSE(trials.back().checks.empty()) << "no check includes " << mutant.file;
  }
  Score score;
  run_trials(trials,
             [&](const Trial& trial, const Outcome& outcome) { score.add(trial, outcome); });
  score.report();
  EXPECT_GE(score.quick_share(), 0.9);
}

}  // namespace
}  // namespace msda
