// What the conformance programs share: the registry of the build tree and the check of one
// composition.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compose/composition.hpp"
#include "conformance/awkward_problems.hpp"
#include "device/device.hpp"
#include "reference/truth.hpp"

namespace msda {

/// The plugins of the build tree and of MSDA_PLUGIN_PATH.
const Registry& shipped_plugins();

/// What is tried on one kind of device: each plugin alone on its default base, and the skeleton
/// with all defaults, as "default". Names are the plugins', of those whose operator has the tensors
/// of `op`.
std::vector<std::string> shipped_names(DeviceKind kind, std::string_view op = "forward");
Composition shipped_composition(const std::string& name);
/// All of them for one kind of device.
std::vector<Composition> shipped_compositions(DeviceKind kind);
/// Whether it is of a skeleton that computes the operator `forward`.
bool computes_forward(const Optimization& optimization);

/// Whether a part of the composition fills the slot.
bool fills_slot(const Composition& composition, std::string_view slot);
/// Says whether one of its optimizations has the trait.
bool has_trait(const Composition& composition, std::string_view trait);

/// A stand-in for a GPU of a compute capability such as 90, which need not be here.
DeviceInfo device_to_compile_for(int capability);
/// GPUs of this machine.
int gpus();
/// Capabilities whose device code differs: without TMA, with it, and the newest.
inline constexpr int kGenerations[] = {80, 90, 120};
/// Others of interest.
inline constexpr int kOtherCapabilities[] = {86, 89, 100};
/// The documents' in fp16 and an encoder in fp32.
std::vector<Problem> problems_to_compile_for();

/// `name` as GoogleTest allows it in a test's name.
std::string test_name(const std::string& name);

/// A problem with its input and what is right.
struct Case {
  Problem problem;
  Input input;
  std::vector<Truth> truths;  ///< of the operator that follows
  std::string op{kDefaultOperator};
};
/// What a composition must write for it.
std::vector<Truth> truths_of(const Case& one, const Composition& composition);
std::vector<Case> make_cases(const std::vector<AwkwardProblem>& problems,
                             std::string_view op = "forward");
/// Of the awkward problems, made once.
const std::vector<Case>& awkward_cases(std::string_view op);
const std::vector<Case>& awkward_cases();  ///< of the operator `forward`

/// Runs the composition on awkward problems (all, or those with the given numbers) and compares
/// with the reference. Each problem must be right, or refused with a reason; of all, at least one
/// must run.
void expect_conforming(Device& device, const Composition& composition);
void expect_conforming(Device& device, const Composition& composition,
                       const std::vector<std::size_t>& problems);

}  // namespace msda
