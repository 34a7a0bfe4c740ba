#include "cli/export_compositions.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/algorithm/string.hpp>

#include "cli/program.hpp"
#include "jit/occupancy.hpp"
#include "reference/bounds.hpp"
#include "runner/plan/best_match.hpp"

namespace msda {
namespace {

constexpr LevelForm kForms[] = {LevelForm::kFixed, LevelForm::kGiven, LevelForm::kStored};

/// GPUs that winners were found on, each once, with how many were.
std::vector<std::pair<DeviceInfo, std::size_t>> models_of(const std::vector<Winner>& winners) {
  std::vector<std::pair<DeviceInfo, std::size_t>> models;
  for (const Winner& winner : winners) {
    if (winner.device.kind != DeviceKind::kCuda) continue;
    const auto known = std::ranges::find_if(
        models, [&](const auto& model) { return model.first.name == winner.device.name; });
    if (known != models.end()) {
      ++known->second;
      continue;
    }
    DeviceInfo device = compile_target(winner.device.compute_capability);
    device.name = winner.device.name;
    models.emplace_back(device, 1);
  }
  return models;
}

/// The model that --device-model names, by a part of its name; else the GPU here, else the one that
/// most winners were found on.
DeviceInfo device_model(const Arguments& arguments, const std::vector<Winner>& winners) {
  const auto models = models_of(winners);
  std::vector<std::string> names;
  for (const auto& [device, count] : models) names.push_back(device.name);
  if (const auto wanted = arguments.find("device-model")) {
    for (const auto& [device, count] : models) {
      if (boost::algorithm::icontains(device.name, *wanted)) return device;
    }
    throw UsageError(fmt::format("export: no winner was found on a '{}'; there are those of: {}",
                                 *wanted, fmt::join(names, ", ")));
  }
  for (const DeviceInfo& device : list_devices()) {
    if (device.kind == DeviceKind::kCuda) return device;
  }
  if (models.empty()) {
    throw UsageError("export: no search has left a winner for a GPU; `msda tune` finds one");
  }
  return std::ranges::max_element(models, {}, [](const auto& model) { return model.second; })
      ->first;
}

/// As models that are captured launch it.
TimingMode mode() { return value_named<TimingMode>("graph"); }

bool says_its_form(const std::vector<Use>& uses) {
  return std::ranges::any_of(uses, [](const Use& use) { return use.variant == kLevelsVariant; });
}

std::vector<Use> with_form(std::vector<Use> uses, LevelForm form) {
  std::erase_if(uses, [](const Use& use) { return use.variant == kLevelsVariant; });
  if (form != LevelForm::kFixed) {
    uses.push_back({kLevelsVariant, {{kSizesParameter, std::string(name_of(form))}}});
  }
  return uses;
}

/// Why the composition does not have the form; one that is wrong by itself throws.
std::string refuses(const Registry& registry, const std::vector<Use>& uses, LevelForm form) {
  const Composition plain(registry, with_form(uses, LevelForm::kFixed));
  try {
    const Composition asked(registry, with_form(uses, form));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

bool has_form(const Registry& registry, const std::vector<Use>& uses, LevelForm form) {
  try {
    return refuses(registry, uses, form).empty();
  } catch (const UsageError&) {  // a winner of plugins that are not here
    return false;
  }
}

void note(std::string text, std::vector<std::string>& notes) {
  if (std::ranges::find(notes, text) == notes.end()) notes.push_back(std::move(text));
}

}  // namespace

Best::Best(const Arguments& arguments, const Registry& registry, std::vector<std::string>& notes)
    : registry_(registry),
      winners_(all_winners({}, registry, notes)),
      device_(device_model(arguments, winners_)) {}

std::optional<std::vector<Use>> Best::find_for(const ProblemSpec& problem, LevelForm form,
                                               std::vector<std::string>& notes) const {
  std::vector<Winner> able = winners_;
  if (form != LevelForm::kFixed) {
    std::erase_if(able,
                  [&](const Winner& winner) { return !has_form(registry_, winner.uses, form); });
  }
  const auto match =
      best_match(able, registry_, problem, mode(), acceptable_error(problem.problem), device_);
  if (!match) return std::nullopt;
  const std::string sizes =
      form == LevelForm::kFixed ? "" : fmt::format(", {} sizes", name_of(form));
  note(fmt::format("best for {} ({}{}{}) on {}: {}", problem.name(),
                   name_of(problem.problem.types.value),
                   problem.op == kDefaultOperator ? "" : ", " + problem.op, sizes, device_.name,
                   match->text),
       notes);
  return match->winner.uses;
}

std::string Best::why_none(const ProblemSpec& problem) const {
  return why_no_match(winners_, registry_, problem, mode(), acceptable_error(problem.problem),
                      device_) +
         "; name a recipe for it, or let `msda tune` find one";
}

Forms::Forms(const Arguments& arguments, const Registry& registry, bool all)
    : registry_(registry), asked_(arguments.find("levels").has_value()) {
  if (!asked_ && !all) return;
  const std::vector<std::string> words = words_of_list(arguments.get("levels", ""));
  for (const LevelForm form : kForms) {
    if (!asked_ || std::ranges::find(words, name_of(form)) != words.end()) forms_.push_back(form);
  }
  if (asked_ && forms_.size() != words.size()) {
    throw UsageError(
        fmt::format("export: --levels {}: a list of fixed, given and stored, each once",
                    arguments.get("levels", "")));
  }
}

ExportedKernel Forms::kernel(const std::string& recipe, const std::vector<Use>& uses,
                             const ProblemSpec& problem) const {
  const Composition composition(registry_, uses);
  const Operator& op = find_operator(problem.op);
  if (const std::string why = composition.refuses(op); !why.empty())
    throw UsageError(fmt::format("export: '{}' for {}: {}", recipe, problem.name(), why));
  if (!op.borrows()) return {recipe, composition, problem.problem};
  return {recipe, composition.computing(op), problem.problem};
}

void Forms::add(const std::string& recipe, const std::vector<Use>& uses, const ProblemSpec& problem,
                std::vector<ExportedKernel>& kernels, std::vector<std::string>& notes) const {
  if (forms_.empty() || (says_its_form(uses) && !asked_)) {
    kernels.push_back(kernel(recipe, uses, problem));
    return;
  }
  for (const LevelForm form : forms_) {
    if (const std::string why = refuses(registry_, uses, form); !why.empty()) {
      note(fmt::format("no kernel of '{}' for {} sizes: {}", recipe, name_of(form), why), notes);
    } else {
      kernels.push_back(kernel(recipe, with_form(uses, form), problem));
    }
  }
}

void Forms::add_best(const std::string& recipe, const Best& best, const ProblemSpec& problem,
                     bool needed, std::vector<ExportedKernel>& kernels,
                     std::vector<std::string>& notes) const {
  const std::vector<LevelForm> forms = forms_.empty() ? std::vector{LevelForm::kFixed} : forms_;
  for (const LevelForm form : forms) {
    const auto uses = best.find_for(problem, form, notes);
    if (uses) {
      kernels.push_back(kernel(recipe, with_form(*uses, form), problem));
    } else if (form == forms.front() && needed) {
      throw Unsupported(best.why_none(problem));
    }
  }
}

}  // namespace msda
