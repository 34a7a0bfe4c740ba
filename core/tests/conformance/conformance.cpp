#include "conformance/conformance.hpp"

#include <gtest/gtest.h>

#include "conformance/awkward_problems.hpp"
#include "measure/measure.hpp"

namespace msda {
namespace {

struct Case {
  Problem problem;
  Input input;
  std::vector<double> reference;
};

/// Generated and referenced once for all compositions.
const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = [] {
    std::vector<Case> made;
    for (const AwkwardProblem& awkward : awkward_problems()) {
      Case one{awkward.problem, make_input(awkward), {}};
      one.reference = compute_reference(one.input);
      made.push_back(std::move(one));
    }
    return made;
  }();
  return kCases;
}

}  // namespace

const Registry& shipped_plugins() {
  static const Registry kRegistry(Registry::default_directories({}));
  return kRegistry;
}

std::vector<Composition> shipped_compositions(DeviceKind kind) {
  std::vector<Composition> compositions;
  if (kind == DeviceKind::kCuda) compositions.emplace_back(shipped_plugins(), std::vector<Use>{});
  for (const Plugin& plugin : shipped_plugins().plugins()) {
    EXPECT_EQ(plugin.error, "");
    if (!plugin.error.empty()) continue;
    Composition composition(shipped_plugins(), {{plugin.name, {}}});
    if (composition.device() == kind) compositions.push_back(std::move(composition));
  }
  return compositions;
}

void expect_conforming(Device& device, const Composition& composition) {
  int ran = 0;
  for (const Case& one : cases()) {
    SCOPED_TRACE(composition.describe() + " on " + one.problem.name);
    if (const auto reason = composition.unsupported(one.problem, device.info())) {
      EXPECT_FALSE(reason->empty());
      continue;
    }
    try {
      const Prepared prepared = device.prepare(composition, one.problem);
      DeviceInput input(device, one.input);
      const Verdict verdict =
          verify(device, *prepared.executable, composition, input, one.problem, one.reference);
      EXPECT_TRUE(verdict.right) << verdict.reason;
      ++ran;
    } catch (const Unsupported& refusal) {
      EXPECT_STRNE(refusal.what(), "");
    }
  }
  EXPECT_GT(ran, 0) << composition.describe() << " refused every problem";
}

}  // namespace msda
