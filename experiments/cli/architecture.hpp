// A device that only compiles: any architecture that NVRTC knows, with no GPU at hand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compose/composition.hpp"
#include "runner/experiment/experiment.hpp"

namespace msda {

/// Whether `device` names an architecture, "sm_89", and no device of this machine.
bool names_architecture(std::string_view device);
/// Throws UsageError for a list of architectures, which `command` does not take.
void require_one_architecture(std::string_view device, std::string_view command);

/// A composition to be compiled.
struct CompileTarget {
  std::string name;
  std::vector<Use> uses;
  std::string broken{};  ///< why it cannot be tried
};

/// What became of one composition for one problem.
struct CompileOutcome {
  std::string word;  ///< "compiles", "refused", "skipped", "failed"
  std::string text;
};

/// Compiles each composition for the problem's constants, on all hardware threads. Throws
/// UsageError for an unknown architecture, EnvironmentError without NVRTC.
std::vector<CompileOutcome> try_all(const std::vector<CompileTarget>& targets,
                                    const Registry& registry, const ProblemSpec& spec,
                                    const std::string& architecture);

/// Compiles each composition for each problem's constants, on all hardware threads, and prints a
/// line for each: registers, spills, shared memory against the architecture's limit, occupancy; or
/// what the architecture, a variant or the compiler refuses, and why. False where the compiler
/// refuses one. Throws UsageError for an unknown architecture, EnvironmentError without NVRTC.
bool compile_all(const std::vector<CompileTarget>& targets, const Registry& registry,
                 const std::vector<ProblemSpec>& problems, const std::string& architecture);

/// The same of an experiment's arms and problems.
bool compile_all(const Experiment& experiment, const Registry& registry,
                 const std::string& architecture);

/// A table in Markdown with a line for each architecture: how many of the compositions compile, why
/// others are refused, which GPUs published runs and winners are of, and how many winners. False
/// where the compiler refuses one. Throws as try_all().
bool print_architectures(const std::vector<CompileTarget>& targets, const Registry& registry,
                         const ProblemSpec& spec, const std::vector<std::string>& architectures);

}  // namespace msda
