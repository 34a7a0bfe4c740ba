#include "conformance/conformance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "compose/skeleton.hpp"
#include "jit/occupancy.hpp"
#include "measure/verify.hpp"

namespace msda {

const Registry& shipped_plugins() {
  static const Registry kRegistry(Registry::default_directories({}));
  return kRegistry;
}

Composition shipped_composition(const std::string& name) {
  if (name == "default") return {shipped_plugins(), {}};
  return {shipped_plugins(), {{name, {}}}};
}

std::vector<std::string> shipped_names(DeviceKind kind, std::string_view op) {
  std::vector<std::string> names;
  if (kind == DeviceKind::kCuda && op == kDefaultOperator) names.emplace_back("default");
  for (const Plugin& plugin : shipped_plugins().plugins()) {
    if (!plugin.error.empty()) continue;
    const Composition composition = shipped_composition(plugin.name);
    if (composition.devices() == std::vector{kind} &&
        composition.op().has_tensors_of(find_operator(op))) {
      names.push_back(plugin.name);
    }
  }
  return names;
}

int gpus() {
  const std::vector<DeviceInfo> devices = list_devices();
  return static_cast<int>(std::ranges::count(devices, DeviceKind::kCuda, &DeviceInfo::kind));
}

DeviceInfo device_to_compile_for(int capability) {
  DeviceInfo device = compile_target(capability);
  device.id = "cuda:0";
  return device;
}

std::vector<Composition> shipped_compositions(DeviceKind kind) {
  std::vector<Composition> compositions;
  for (const std::string& name : shipped_names(kind)) {
    compositions.push_back(shipped_composition(name));
  }
  return compositions;
}

bool computes_forward(const Optimization& optimization) {
  return operator_of(optimization.slot().skeleton).name() == kDefaultOperator;
}

bool fills_slot(const Composition& composition, std::string_view slot) {
  return std::ranges::any_of(composition.parts(), [&](const Part& part) {
    const auto* optimization = dynamic_cast<const Optimization*>(part.plugin->variant.get());
    return optimization != nullptr && optimization->slot().slot == slot;
  });
}

bool has_trait(const Composition& composition, std::string_view trait) {
  return std::ranges::any_of(composition.parts(), [&](const Part& part) {
    const auto* optimization = dynamic_cast<const Optimization*>(part.plugin->variant.get());
    return optimization != nullptr && std::ranges::count(optimization->slot().traits, trait) > 0;
  });
}

std::vector<Problem> problems_to_compile_for() {
  Problem ledger = preset("ledger-48");
  ledger.types = Types::all(DType::kFloat16);
  return {ledger, preset("ddetr-encoder")};
}

std::string test_name(const std::string& name) {
  std::string text = name;
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

namespace {

/// True when the case ran; false when it was refused with a reason.
bool expect_right(Device& device, const Composition& composition, const Case& one) {
  SCOPED_TRACE(composition.describe() + " on " + one.problem.name);
  if (const auto reason = composition.unsupported(one.problem, device.info())) {
    EXPECT_FALSE(reason->empty());
    return false;
  }
  try {
    const Prepared prepared = device.prepare(composition, one.problem);
    DeviceInput input(device, one.input);
    const Verdict verdict = verify(device, *prepared.executable, composition, input, one.problem,
                                   truths_of(one, composition));
    EXPECT_TRUE(verdict.right) << verdict.reason;
    return true;
  } catch (const Unsupported& refusal) {
    EXPECT_STRNE(refusal.what(), "");
    return false;
  } catch (const Error& error) {
    // A device error may be sticky: what follows would fail with it.
    [&] { FAIL() << error.what(); }();
    return false;
  }
}

}  // namespace

std::vector<Truth> truths_of(const Case& one, const Composition& composition) {
  const Operator& op = composition.op();
  return op.name() == one.op ? one.truths : make_truths(op, one.input);
}

std::vector<Case> make_cases(const std::vector<AwkwardProblem>& problems, std::string_view op) {
  std::vector<Case> made;
  for (const AwkwardProblem& awkward : problems) {
    Case one{awkward.problem, make_input(awkward, op), {}, std::string(op)};
    one.truths = make_truths(find_operator(op), one.input);
    made.push_back(std::move(one));
  }
  return made;
}

const std::vector<Case>& awkward_cases(std::string_view op) {
  static std::map<std::string, std::vector<Case>, std::less<>> cases;
  const auto known = cases.find(op);
  if (known != cases.end()) return known->second;
  return cases.emplace(op, make_cases(awkward_problems(), op)).first->second;
}

const std::vector<Case>& awkward_cases() { return awkward_cases(kDefaultOperator); }

namespace {

/// Those of an operator whose tensors the composition has.
const std::vector<Case>& cases_for(const Composition& composition) {
  const bool is_forward = composition.op().has_tensors_of(find_operator(kDefaultOperator));
  return awkward_cases(is_forward ? kDefaultOperator : composition.op().name());
}

}  // namespace

void expect_conforming(Device& device, const Composition& composition,
                       const std::vector<std::size_t>& problems) {
  for (const std::size_t p : problems) {
    expect_right(device, composition, cases_for(composition).at(p));
    if (::testing::Test::HasFatalFailure()) return;
  }
}

void expect_conforming(Device& device, const Composition& composition) {
  int ran = 0;
  for (const Case& one : cases_for(composition)) {
    ran += expect_right(device, composition, one) ? 1 : 0;
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(ran, 0) << composition.describe() << " refused every problem";
}

}  // namespace msda
