#include "cli/architecture.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/terminal.hpp"
#include "jit/compiler.hpp"
#include "jit/occupancy.hpp"
#include "parallel.hpp"
#include "runner/inspect/inspect.hpp"

namespace msda {
namespace {

using Outcome = CompileOutcome;

Outcome of_compiled(const Inspected& one, const SmLimits& limits, const std::string& architecture) {
  std::string text =
      fmt::format("{} registers x {} threads, {} of {} B shared memory", one.registers, one.threads,
                  one.shared_bytes, limits.shared_bytes_of_block);
  if (one.spill_bytes > 0) text += fmt::format(", {} B spilled", one.spill_bytes);
  if (one.occupancy.blocks == 0) {
    return {"refused", fmt::format("{}: a block exceeds what an SM of {} has ({})", text,
                                   architecture, one.occupancy.limit)};
  }
  return {"compiles", fmt::format("{}, occupancy {:.0f}% (limited by {})", text,
                                  one.occupancy.share * 100, one.occupancy.limit)};
}

Outcome try_one(const CompileTarget& target, const Registry& registry, const ProblemSpec& spec,
                const std::string& architecture) {
  try {
    if (!target.broken.empty()) return {"failed", target.broken};
    const Composition composition(registry, target.uses);
    if (composition.kernel() != nullptr) {
      return {"skipped", "is compiled with its plugin, and not at run time"};
    }
    if (!composition.runs_on(DeviceKind::kCuda)) {
      return {"skipped", "runs on " + composition.devices_text()};
    }
    const Operator& asked = find_operator(spec.op);
    if (const std::string refusal = composition.refuses(asked); !refusal.empty()) {
      return {"skipped", refusal};
    }
    const Inspected one =
        inspect(target.name, composition.computing(asked), spec.problem, architecture, Sass::kNo);
    return of_compiled(one, sm_limits(architecture), architecture);
  } catch (const Unsupported& refused) {
    return {"refused", refused.what()};
  } catch (const EnvironmentError&) {
    throw;  // nothing compiles here at all
  } catch (const Error& error) {
    return {"failed", error.what()};
  }
}

Colour colour_of(const std::string& word) {
  if (word == "compiles") return Colour::kGreen;
  return word == "failed" ? Colour::kRed : Colour::kYellow;
}

void print_outcomes(const std::vector<CompileTarget>& targets, const std::vector<Outcome>& outcomes,
                    std::map<std::string, int>& counts) {
  std::size_t width = 0;
  for (const CompileTarget& target : targets) width = std::max(width, target.name.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Outcome& one = outcomes[i];
    ++counts[one.word];
    fmt::print("  {}{:<{}}  {}\n",
               coloured(fmt::format("{:<9} ", one.word), colour_of(one.word), stdout),
               targets[i].name, width, one.text);
  }
}

}  // namespace

bool names_architecture(std::string_view device) { return device.starts_with("sm_"); }

void require_one_architecture(std::string_view device, std::string_view command) {
  if (!names_architecture(device) || device.find(',') == std::string_view::npos) return;
  throw UsageError(
      fmt::format("{}: --device {} names several architectures; give one", command, device));
}

std::vector<CompileOutcome> try_all(const std::vector<CompileTarget>& targets,
                                    const Registry& registry, const ProblemSpec& spec,
                                    const std::string& architecture) {
  capability_of(architecture);  // refuses what is unknown before anything is compiled
  const Compiler compiler;      // and a machine without NVRTC
  std::vector<Outcome> outcomes(targets.size());
  parallel_for(std::ssize(targets), 1, 0, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      outcomes[i] = try_one(targets[i], registry, spec, architecture);
    }
  });
  return outcomes;
}

bool compile_all(const std::vector<CompileTarget>& targets, const Registry& registry,
                 const std::vector<ProblemSpec>& problems, const std::string& architecture) {
  std::map<std::string, int> counts;
  for (const ProblemSpec& spec : problems) {
    const std::vector<Outcome> outcomes = try_all(targets, registry, spec, architecture);
    fmt::print("{} for {}\n", spec.name(), architecture);
    print_outcomes(targets, outcomes, counts);
  }
  std::vector<std::string> parts;
  for (const auto& [word, count] : counts) parts.push_back(fmt::format("{} {}", count, word));
  fmt::print("{}: {}; nothing ran.\n", architecture, fmt::join(parts, ", "));
  return !counts.contains("failed");
}

bool compile_all(const Experiment& experiment, const Registry& registry,
                 const std::string& architecture) {
  std::vector<CompileTarget> targets;
  for (const ArmSpec& arm : experiment.arms) {
    if (arm.best) continue;  // `use: best` stands for another composition on each device
    targets.push_back({arm.name, arm.uses});
  }
  return compile_all(targets, registry, experiment.problems, architecture);
}

}  // namespace msda
