// What `msda export` makes of a recipe or a winner for a problem: a kernel in each form of level
// sizes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "export/export.hpp"
#include "facts/problem_spec.hpp"
#include "runner/experiment/winners.hpp"

namespace msda {

/// "a,b" as words.
std::vector<std::string> words_of_list(const std::string& text);

/// The winner for each problem, on one model of GPU: the one that --device-model names, else the
/// GPU here, else the model that most winners were found on.
class Best {
 public:
  /// Throws UsageError when there is no winner for a GPU, or none for the one named.
  Best(const Arguments& arguments, const Registry& registry, std::vector<std::string>& notes);

  /// Of those that have the form of level sizes; `notes` gets a line that says which.
  std::optional<std::vector<Use>> find_for(const ProblemSpec& problem, LevelForm form,
                                           std::vector<std::string>& notes) const;
  std::string why_none(const ProblemSpec& problem) const;

 private:
  const Registry& registry_;
  std::vector<Winner> winners_;
  DeviceInfo device_;
};

/// The forms of level sizes that are asked for by --levels, else all or the recipe's own.
class Forms {
 public:
  /// Throws UsageError for --levels that is no list of forms.
  Forms(const Arguments& arguments, const Registry& registry, bool all);

  /// A kernel in each form that the recipe has; `notes` gets a line for each other one. Throws
  /// UsageError for a recipe that does not compute the problem's operator.
  void add(const std::string& recipe, const std::vector<Use>& uses, const ProblemSpec& problem,
           std::vector<ExportedKernel>& kernels, std::vector<std::string>& notes) const;
  /// In each form the winner that has it. Throws Unsupported where there is none for the first
  /// form, and one is `needed`.
  void add_best(const std::string& recipe, const Best& best, const ProblemSpec& problem,
                bool needed, std::vector<ExportedKernel>& kernels,
                std::vector<std::string>& notes) const;

 private:
  /// Computes the problem's operator. Throws UsageError for a composition that does not.
  ExportedKernel kernel(const std::string& recipe, const std::vector<Use>& uses,
                        const ProblemSpec& problem) const;

  const Registry& registry_;
  bool asked_;
  std::vector<LevelForm> forms_;
};

}  // namespace msda
