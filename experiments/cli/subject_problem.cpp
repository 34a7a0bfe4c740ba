#include "cli/subject_problem.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/bench_words.hpp"
#include "cli/program.hpp"
#include "nearest.hpp"

namespace msda {
namespace {

ProblemSpec spelled_problem(const std::vector<std::string>& keys, const std::string& command,
                            const std::string& op) {
  Words words(keys);
  if (!words.has("operator") && !op.empty()) words.add("operator", op);
  words.refuse_rest(command);
  return problem_from_words(words, "mine");
}

std::vector<ProblemSpec> problems_of_experiment(const std::vector<std::string>& names,
                                                const Registry& registry) {
  for (const std::string& name : names) {
    const auto arm = experiment_arm(name);
    if (arm) return load_experiment(experiment_path(arm->file.string()), registry).problems;
  }
  return {};
}

/// Throws UsageError with the experiment's problems, of which `name` is none, where it is no preset
/// either.
void require_preset(const std::string& name, const std::string& command,
                    const std::vector<ProblemSpec>& problems) {
  const std::vector<std::string> presets = preset_names();
  if (std::ranges::find(presets, name) != presets.end()) return;
  std::vector<std::string> own;
  for (const ProblemSpec& problem : problems) own.push_back(problem.name());
  throw UsageError(
      fmt::format("{}: the experiment has no problem '{}'{}; there are: {}; or name a preset",
                  command, name, suggestion(name, own), fmt::join(own, ", ")));
}

}  // namespace

SubjectWords split_words(const std::vector<std::string>& words) {
  SubjectWords split;
  for (const std::string& word : words) {
    (word.find('=') == std::string::npos ? split.names : split.keys).push_back(word);
  }
  return split;
}

const Operator* named_operator(const Arguments& arguments, const std::string& command,
                               const SubjectWords& words) {
  Words keys(words.keys);
  const auto word = keys.take("operator");
  const Operator* const option = operator_option(arguments);
  if (!word) return option;
  if (option != nullptr) {
    throw UsageError(command + ": give either operator= or --operator, not both");
  }
  return &find_operator(*word);
}

std::optional<ProblemSpec> subject_problem(const Arguments& arguments, const std::string& command,
                                           const SubjectWords& words, const std::string& op,
                                           const Registry& registry) {
  const auto named = arguments.find("problem");
  if (!words.keys.empty()) {
    if (named) {
      throw UsageError(fmt::format("{}: give either --problem or the problem's keys ({}), not both",
                                   command, words.keys.front()));
    }
    return spelled_problem(words.keys, command, op);
  }
  const std::vector<ProblemSpec> problems = problems_of_experiment(words.names, registry);
  const auto found = std::find_if(problems.begin(), problems.end(), [&](const ProblemSpec& one) {
    return named ? one.name() == *named : op.empty() || one.op == op;
  });
  if (found != problems.end()) return *found;
  if (!named) return std::nullopt;
  if (!problems.empty()) require_preset(*named, command, problems);
  return preset_spec(*named, std::filesystem::current_path(),
                     op.empty() ? std::string(kDefaultOperator) : op);
}

bool is_problem_of_experiment(const std::string& problem, const SubjectWords& words,
                              const Registry& registry) {
  return std::ranges::any_of(problems_of_experiment(words.names, registry),
                             [&](const ProblemSpec& one) { return one.name() == problem; });
}

}  // namespace msda
