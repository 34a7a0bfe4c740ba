// Without a GPU the shipped compositions are still compiled for every architecture of interest.
// What the assembler says of each goes to compile_figures.json in the build folder.
#include <gtest/gtest.h>

#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>

#include "compose/unit_writer.hpp"
#include "conformance/awkward_problems.hpp"
#include "conformance/combinations.hpp"
#include "input/input.hpp"
#include "jit/compiler.hpp"
#include "jit/launch_plan.hpp"
#include "parallel.hpp"

namespace msda {
namespace {

/// The problems that a composition is compiled for: the documents' in fp16 and an encoder in fp32.
std::vector<Problem> problems() {
  Problem ledger = preset("ledger-48");
  ledger.types = Types::all(DType::kFloat16);
  return {ledger, preset("ddetr-encoder")};
}

struct Job {
  const Composition* composition;
  const Problem* problem;
  int capability;
};

nlohmann::json compile(const Compiler& compiler, const Job& job) {
  const std::string architecture = architecture_name(job.capability);
  const ComposedUnit composed = write_unit(*job.composition, *job.problem);
  const Module module = compiler.compile(composed.unit, architecture);
  const LaunchPlan plan = read_plan(module);
  const KernelBuild& build = module.kernels.at(composed.main_kernel);
  EXPECT_GT(plan.main.threads, 0U);
  EXPECT_GT(build.registers, 0);
  return {{"composition", job.composition->describe()},
          {"problem", job.problem->name},
          {"architecture", architecture},
          {"registers", build.registers},
          {"shared_bytes", build.static_shared_bytes + plan.main.shared_bytes},
          {"spill_bytes", build.spill_bytes}};
}

TEST(ConformanceOfCompilation, EveryCompositionCompilesForEveryArchitecture) {
  std::vector<Composition> compositions;
  for (const std::string& name : shipped_names(DeviceKind::kCuda)) {
    compositions.push_back(shipped_composition(name));
  }
  const auto all_problems = problems();
  std::vector<Job> jobs;
  for (const Composition& composition : compositions) {
    for (const Problem& problem : all_problems) {
      for (const DeviceInfo& device : devices_to_compile_for()) {
        if (!composition.unsupported(problem, device))
          jobs.push_back({&composition, &problem, device.compute_capability});
      }
    }
  }
  const Compiler compiler;
  std::mutex mutex;
  nlohmann::json figures = nlohmann::json::array();
  parallel_for(static_cast<std::int64_t>(jobs.size()), 1, 0, [&](std::int64_t begin, std::int64_t) {
    const nlohmann::json figure = compile(compiler, jobs[static_cast<std::size_t>(begin)]);
    const std::lock_guard lock(mutex);
    figures.push_back(figure);
  });
  EXPECT_EQ(figures.size(), jobs.size());
  std::ofstream(MSDA_BINARY_DIR "/compile_figures.json") << figures.dump(1);
}

TEST(ConformanceOfCompilation, OtherChoicesCompileForHopper) {
  const auto compositions = other_choices();
  EXPECT_FALSE(compositions.empty());
  const auto awkward = awkward_problems();
  compile_all(compositions, {awkward[3].problem, awkward[10].problem}, device_to_compile_for(90));
}

}  // namespace
}  // namespace msda
