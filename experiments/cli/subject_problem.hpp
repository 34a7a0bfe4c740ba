// The problem of commands that look at compositions (verify, inspect): spelled out, named, or that
// of the experiment whose arm they look at.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "runner/experiment/experiment.hpp"

namespace msda {

/// A command's words: what it looks at, and KEY=VALUE words of a problem.
struct SubjectWords {
  std::vector<std::string> names;
  std::vector<std::string> keys;
};
SubjectWords split_words(const std::vector<std::string>& words);

/// What --operator or the word operator= names; nullptr where neither is there. Throws UsageError
/// with the command's name where both are.
const Operator* named_operator(const Arguments& arguments, const std::string& command,
                               const SubjectWords& words);

/// Of the KEY=VALUE words; else what --problem names, in the experiment of the first
/// EXPERIMENT:ARM or among the presets; else the first problem of operator `op` in that experiment;
/// else nullopt. `op` "": any of an experiment's, the default one of words and presets. Throws
/// UsageError with the command's name.
std::optional<ProblemSpec> subject_problem(const Arguments& arguments, const std::string& command,
                                           const SubjectWords& words, const std::string& op,
                                           const Registry& registry);

/// Whether the experiment of the first EXPERIMENT:ARM has a problem of this name.
bool is_problem_of_experiment(const std::string& problem, const SubjectWords& words,
                              const Registry& registry);

}  // namespace msda
