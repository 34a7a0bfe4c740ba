#include "runner/plan/plan.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "device/simt/device.hpp"
#include "input/input.hpp"
#include "problem/validate.hpp"
#include "reference/bounds.hpp"
#include "results/record.hpp"
#include "runner/plan/best_match.hpp"

namespace msda {
namespace {

/// What stands for a composition that differs from problem to problem.
std::string best_text(const BestRequest& best) {
  return best.error ? fmt::format("best{{error={:g}}}", *best.error) : "best";
}

std::vector<Arm> arms_for(const Experiment& experiment, const Registry& registry,
                          const DeviceInfo& device, std::vector<std::string>& notes) {
  std::vector<Arm> arms;
  for (const ArmSpec& spec : experiment.arms) {
    if (spec.best) {
      arms.push_back({{spec.name, {}, best_text(*spec.best)}, spec.best});
      continue;
    }
    Arm arm = make_arm(registry, spec.name, spec.uses);
    if (!arm.resolved->runs_on(device.kind)) {
      notes.push_back(fmt::format("arm '{}' is left out: it runs on {}, not on {}", spec.name,
                                  arm.resolved->devices_text(), device.id));
      continue;
    }
    if (!experiment.file.empty()) check_operator(spec, *arm.resolved, experiment.problems);
    arm.evidence = spec.evidence;
    for (const Claim& claim : experiment.claims) {
      if (std::ranges::find(claim.arms, spec.name) == claim.arms.end()) continue;
      arm.evidence.insert(arm.evidence.end(), claim.evidence.begin(), claim.evidence.end());
    }
    arms.push_back(std::move(arm));
  }
  if (arms.empty()) {
    throw UsageError(fmt::format(
        "experiment {}: none of its {} arms runs on {}; choose another device with --device",
        experiment.file.string(), experiment.arms.size(), device.id));
  }
  return arms;
}

std::string baseline_of(const Experiment& experiment, const std::vector<Arm>& arms,
                        std::vector<std::string>& notes) {
  const std::string& first = arms.front().name;
  if (!experiment.baseline) return first;
  const auto found = std::find_if(arms.begin(), arms.end(),
                                  [&](const Arm& arm) { return arm.name == *experiment.baseline; });
  if (found != arms.end()) return *experiment.baseline;
  notes.push_back(
      fmt::format("baseline '{}' is left out; ratios are to '{}'", *experiment.baseline, first));
  return first;
}

std::string device_ids(const std::vector<DeviceInfo>& devices) {
  std::vector<std::string> ids;
  ids.reserve(devices.size());
  for (const DeviceInfo& device : devices) ids.push_back(device.id);
  return fmt::format("{}", fmt::join(ids, ", "));
}

/// The winner that an arm stands for in a group.
BestChoice choose_best(const Plan& plan, const Arm& arm, const Group& group,
                       const Registry& registry, const std::vector<Winner>& winners) {
  const ProblemSpec& problem = plan.problem_of(group);
  const double error = arm.best->error.value_or(acceptable_error(problem.problem));
  BestChoice choice{arm.name, group.problem, group.mode, arm, ""};
  if (const auto match = best_match(winners, registry, problem, group.mode, error, plan.device)) {
    choice.chosen = make_arm(registry, arm.name, match->winner.uses);
    choice.match = match->text;
    return choice;
  }
  choice.chosen.refused = why_no_match(winners, registry, problem, group.mode, error, plan.device) +
                          "; `msda tune` finds one";
  return choice;
}

void choose_all_best(const Experiment& experiment, const Registry& registry, Plan& plan) {
  const auto is_best = [](const Arm& arm) { return arm.best.has_value(); };
  if (std::none_of(plan.arms.begin(), plan.arms.end(), is_best)) return;
  const std::vector<Winner> winners = all_winners(experiment.file, registry, plan.notes);
  for (const Group& group : plan.groups) {
    for (const Arm& arm : plan.arms) {
      if (!arm.best) continue;
      plan.best.push_back(choose_best(plan, arm, group, registry, winners));
    }
  }
}

}  // namespace

void check_operator(const ArmSpec& arm, const Composition& composition,
                    const std::vector<ProblemSpec>& problems) {
  const auto refusal = [&](const ProblemSpec& spec) {
    return composition.refuses(find_operator(spec.op));
  };
  const bool fits =
      std::ranges::any_of(problems, [&](const auto& spec) { return refusal(spec).empty(); });
  if (fits) return;
  throw UsageError(
      fmt::format("{}arm '{}': {}; give problems with `operator: {}`, or leave the arm out",
                  arm.place.empty() ? "" : arm.place + ": ", arm.name, refusal(problems.front()),
                  composition.op().name()));
}

Arm make_arm(const Registry& registry, const std::string& name, const std::vector<Use>& uses) {
  auto composition = std::make_shared<const Composition>(registry, uses);
  const std::string text = composition->describe();
  return {{name, uses, text}, {}, std::move(composition)};
}

DeviceInfo choose_device(const std::string& device, const std::vector<DeviceInfo>& devices) {
  if (const auto options = parse_simt(device)) return simt_info(*options);
  const auto find = [&](auto&& matches) {
    return std::find_if(devices.begin(), devices.end(), matches);
  };
  auto found = find([&](const DeviceInfo& info) {
    return device == "auto" ? info.kind == DeviceKind::kCuda : info.id == device;
  });
  if (found == devices.end() && device == "auto") {
    found = find([](const DeviceInfo& info) { return info.kind == DeviceKind::kCpu; });
  }
  if (found != devices.end()) return *found;
  const std::string reason = cuda_unavailable_reason();
  throw EnvironmentError(fmt::format("no device '{}'; there are: {}{}", device, device_ids(devices),
                                     reason.empty() ? "" : " (CUDA: " + reason + ")"));
}

std::vector<Arm> arms_of(const Plan& plan, const Group& group) {
  std::vector<Arm> arms = plan.arms;
  for (const BestChoice& choice : plan.best) {
    if (choice.problem != group.problem || choice.mode != group.mode) continue;
    for (Arm& arm : arms) {
      if (arm.name == choice.arm) arm = choice.chosen;
    }
  }
  return arms;
}

std::vector<ArmEntry> entries_of(const std::vector<Arm>& arms) {
  return {arms.begin(), arms.end()};
}

void add_noise_pair(Plan& plan) {
  const auto baseline = std::find_if(plan.arms.begin(), plan.arms.end(),
                                     [&](const Arm& arm) { return arm.name == plan.baseline; });
  Arm again = *baseline;
  again.name += "-again";
  const bool there = std::any_of(plan.arms.begin(), plan.arms.end(), [&](const Arm& arm) {
    return arm.name == again.name ||
           (arm.name != plan.baseline && arm.composition == again.composition);
  });
  if (plan.arms.size() > 1 && !there) plan.arms.push_back(std::move(again));
}

Plan make_plan(const Experiment& experiment, const Registry& registry, const DeviceInfo& device) {
  Plan plan;
  plan.device = device;
  plan.devices = {device.id};
  plan.problems = experiment.problems;
  for (const ProblemSpec& spec : plan.problems) {
    for (std::string& note : idle_notes(spec)) plan.notes.push_back(std::move(note));
  }
  plan.arms = arms_for(experiment, registry, device, plan.notes);
  plan.baseline = baseline_of(experiment, plan.arms, plan.notes);
  plan.measure = experiment.measure;
  if (plan.measure.noise_pair && plan.measures()) add_noise_pair(plan);
  plan.design = experiment.design;
  if (plan.design) check_ends(plan);
  if (!plan.measures()) {
    plan.measure.modes.resize(1);  // a verdict is the same in all
    plan.measure.input_sets = 1;
    plan.measure.processes = 1;
    plan.measure.most_processes = 1;
    plan.notes.push_back(fmt::format(
        "{} checks every arm once and measures nothing: there are no times", device.id));
  }
  for (std::size_t problem = 0; problem < plan.problems.size(); ++problem) {
    for (const TimingMode mode : plan.measure.modes) plan.groups.push_back({problem, mode});
  }
  choose_all_best(experiment, registry, plan);
  return plan;
}

void use_devices(Plan& plan, const std::vector<DeviceInfo>& devices) {
  plan.device = devices.front();
  plan.devices.clear();
  for (const DeviceInfo& device : devices) {
    if (device.kind != plan.device.kind || device.name != plan.device.name) {
      throw UsageError(fmt::format("devices {} ({}) and {} ({}) are not alike; run them one by one",
                                   plan.device.id, plan.device.name, device.id, device.name));
    }
    if (std::find(plan.devices.begin(), plan.devices.end(), device.id) != plan.devices.end()) {
      throw UsageError(fmt::format("device {} is given twice", device.id));
    }
    plan.devices.push_back(device.id);
  }
  if (plan.devices.size() == 1) return;
  for (const Arm& arm : plan.arms) {
    const int count = arm.resolved ? arm.resolved->device_count() : 1;
    if (count == 1) continue;
    throw UsageError(
        fmt::format("arm '{}' works on {} devices at a time, and a run on several has others work "
                    "on them meanwhile; give one device, the first of those that it takes",
                    arm.name, count));
  }
}

Shard parse_shard(const std::string& text) {
  Shard shard{0, 0};
  const char* const end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, shard.index);
  if (index.ec == std::errc() && index.ptr != end && *index.ptr == '/') {
    const auto count = std::from_chars(index.ptr + 1, end, shard.count);
    if (count.ec == std::errc() && count.ptr == end && shard.index >= 1 &&
        shard.index <= shard.count) {
      return shard;
    }
  }
  throw UsageError(
      fmt::format("'{}' is not a shard: write i/n with 1 <= i <= n, such as 2/8", text));
}

std::pair<std::size_t, std::size_t> part_borders(std::size_t count, const Shard& shard) {
  const auto border = [&](int part) {
    return count * static_cast<std::size_t>(part) / static_cast<std::size_t>(shard.count);
  };
  return {border(shard.index - 1), border(shard.index)};
}

std::vector<Group> part_of(const std::vector<Group>& groups, const Shard& shard) {
  const auto [begin, end] = part_borders(groups.size(), shard);
  return {groups.begin() + static_cast<std::ptrdiff_t>(begin),
          groups.begin() + static_cast<std::ptrdiff_t>(end)};
}

void take_shard(Plan& plan, const Shard& shard) {
  plan.shard = shard;
  plan.groups = part_of(plan.groups, shard);
  std::erase_if(plan.best, [&](const BestChoice& choice) {
    return std::ranges::none_of(plan.groups, [&](const Group& group) {
      return group.problem == choice.problem && group.mode == choice.mode;
    });
  });
}

std::string unsupported_reason(const Arm& arm, const ProblemSpec& spec, const DeviceInfo& device) {
  if (!arm.refused.empty()) return arm.refused;
  std::string refusal = arm.resolved->refuses(find_operator(spec.op));
  if (!refusal.empty()) return refusal;
  return arm.resolved->unsupported(spec.problem, device).value_or("");
}

std::string to_text(const Plan& plan) {
  std::string text = fmt::format("device    {} ({})\nbaseline  {}\narms      {}\n", plan.device.id,
                                 plan.device.name, plan.baseline, plan.arms.size());
  for (const Arm& arm : plan.arms) text += fmt::format("  {}: {}\n", arm.name, arm.composition);
  const MeasureSettings& measure = plan.measure;
  text += fmt::format(
      "blocks    {} in each of {} processes, of {} samples (+{} untimed) an arm, at most {:g} s a "
      "group\n",
      measure.blocks, measure.processes, measure.samples, measure.warmup, measure.budget.count());
  text += fmt::format("cells     {} in {} groups\n", plan.cell_count(), plan.groups.size());
  for (const Group& group : plan.groups) {
    const ProblemSpec& spec = plan.problem_of(group);
    text += fmt::format("  {} {} ({})\n", spec.name(), name_of(group.mode), describe(spec.problem));
    for (const Arm& arm : arms_of(plan, group)) {
      const std::string reason = unsupported_reason(arm, spec, plan.device);
      text += fmt::format("    {}{}\n", cell_name(spec.name(), arm.name, group.mode),
                          reason.empty() ? "" : "  skipped: " + reason);
    }
  }
  if (plan.design) text += to_text(*plan.design);
  for (const std::string& note : plan.notes) text += fmt::format("note: {}\n", note);
  for (const std::string& note : best_notes(plan)) text += fmt::format("note: {}\n", note);
  return text;
}

std::vector<std::string> idle_notes(const ProblemSpec& spec) {
  std::vector<std::string> notes = idle_settings(spec.generation);
  for (std::string& name : notes) {
    name = fmt::format("{} has no effect on problem '{}': its distribution is {}", name,
                       spec.name(), name_of(spec.generation.distribution));
  }
  return notes;
}

std::vector<std::string> best_notes(const Plan& plan) {
  std::vector<std::string> notes;
  for (const BestChoice& choice : plan.best) {
    if (choice.match.empty()) continue;
    const std::string& problem = plan.problems[choice.problem].name();
    notes.push_back(fmt::format("{} is {}: {}", cell_name(problem, choice.arm, choice.mode),
                                choice.chosen.composition, choice.match));
  }
  return notes;
}

PlanEntry entry_of(const Plan& plan) {
  PlanEntry entry{plan.baseline, plan.measure, {}, estimate_seconds(plan), plan.notes, {}};
  for (const Group& group : plan.groups) {
    for (const Arm& arm : plan.arms) {
      entry.cells.push_back(cell_name(plan.problem_of(group).name(), arm.name, group.mode));
    }
  }
  for (const BestChoice& choice : plan.best) {
    if (choice.match.empty()) continue;
    entry.best.push_back({plan.problems[choice.problem].name(), choice.mode, choice.arm,
                          choice.chosen.composition, choice.match});
  }
  return entry;
}

}  // namespace msda
