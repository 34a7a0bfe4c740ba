#include "cli/levels_option.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "compose/composition.hpp"

namespace msda {

void add_levels_option(Arguments& arguments) {
  arguments.option("levels", "FORM",
                   "level sizes of compositions: fixed (constants, as without it), given "
                   "(arguments) or stored (a tensor on the device)");
}

std::vector<Use> with_levels(const Arguments& arguments, std::vector<Use> uses) {
  const auto form = arguments.find("levels");
  if (!form) return uses;
  std::erase_if(uses, [](const Use& use) { return use.variant == kLevelsVariant; });
  uses.push_back({kLevelsVariant, {{kSizesParameter, *form}}});
  return uses;
}

LevelForm levels_from(const Arguments& arguments) {
  const std::shared_ptr<const Variant> levels = make_levels_variant();
  const std::vector<Use> uses = with_levels(arguments, {});
  if (uses.empty()) return LevelForm::kFixed;
  return level_form(resolve_parameters(levels->info(), uses.front().parameters));
}

std::string refuses_levels(const Arguments& arguments, const Registry& registry,
                           const std::vector<Use>& uses) {
  try {
    const Composition plain(registry, uses);
  } catch (const UsageError&) {
    return "";
  }
  try {
    const Composition asked(registry, with_levels(arguments, uses));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

std::vector<ProblemSpec> with_pyramids(const ProblemSpec& spec) {
  const std::vector<Level>& own = spec.problem.levels;
  const auto count = static_cast<std::int64_t>(own.size());
  std::vector<std::vector<Level>> pyramids = {own};
  const auto add = [&](const auto& level) {
    std::vector<Level>& levels = pyramids.emplace_back();
    for (std::int64_t l = 0; l < count; ++l) levels.push_back(level(l));
  };
  add([&](std::int64_t l) { return Level{11 * (count - l) + 2, 7 * (count - l) + 3}; });
  add([&](std::int64_t l) { return Level{3 * l + 2, 5 * l + 2}; });  // ascending
  add([&](std::int64_t l) { return l % 2 == 0 ? Level{1, 13 - l} : Level{9 - l % 8, 1}; });
  add([&](std::int64_t l) { return l + 1 == count ? Level{1, 1} : Level{12, 20}; });
  std::vector<ProblemSpec> all;
  for (std::vector<Level>& levels : pyramids) {
    ProblemSpec& one = all.emplace_back(spec);
    one.problem.levels = std::move(levels);
    if (all.size() > 1) one.problem.name += fmt::format("-{}", all.size());
  }
  return all;
}

}  // namespace msda
