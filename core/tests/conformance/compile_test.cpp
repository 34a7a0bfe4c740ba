// Without a GPU the shipped compositions are still compiled for every architecture of interest.
// What the assembler says of each goes to compile_figures.json in the build folder.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <mutex>
#include <nlohmann/json.hpp>

#include "compose/unit_writer.hpp"
#include "conformance/awkward_problems.hpp"
#include "conformance/combinations.hpp"
#include "files/temporary_directory.hpp"
#include "input/input.hpp"
#include "jit/compiler.hpp"
#include "jit/launch_plan.hpp"
#include "parallel.hpp"

namespace msda {
namespace {

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

/// Each composition for Hopper and, in turn, for one of the other generations, each on a problem in
/// turn. The slow tests compile all of each.
std::vector<Job> jobs_for(const std::vector<Composition>& compositions,
                          const std::vector<Problem>& problems) {
  const std::vector<int> others = {80, 120};
  std::vector<Job> jobs;
  for (std::size_t c = 0; c < compositions.size(); ++c) {
    const int other = others[c / problems.size() % others.size()];
    for (const int capability : {90, other}) {
      const std::size_t first = c + (capability == 90 ? 0 : 1);
      for (std::size_t p = 0; p < problems.size(); ++p) {
        const Problem& problem = problems[(first + p) % problems.size()];
        if (compositions[c].unsupported(problem, device_to_compile_for(capability))) continue;
        jobs.push_back({&compositions[c], &problem, capability});
        break;
      }
    }
  }
  return jobs;
}

TEST(ConformanceOfCompilation, EveryCompositionCompilesForHopperAndAnother) {
  const std::vector<Composition> compositions = shipped_compositions(DeviceKind::kCuda);
  const auto problems = problems_to_compile_for();
  const std::vector<Job> jobs = jobs_for(compositions, problems);
  EXPECT_GT(jobs.size(), compositions.size());
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

// --- The slot "cache" ----------------------------------------------------------------------------

/// Uses every member of a cache policy with every word, on the first and on the last level. Stores
/// are of 2 bytes and more: no output is smaller.
constexpr const char* kEveryWord = R"(
namespace unit {
template <int level, int bytes>
__device__ void touch(const void* from, void* to) {
  using Word = msda::ptx::Word<bytes>;
  const auto* words = static_cast<const Word*>(from);
  const Word value = K::Cache::template load_value<level>(words);
  const Word stream = K::Cache::load_stream(words + 1);
  if constexpr (bytes == 1) {
    static_cast<Word*>(to)[0] = value + stream;
  } else {
    K::Cache::store_output(static_cast<Word*>(to), value);
    K::Cache::store_output(static_cast<Word*>(to) + 1, stream);
  }
}
template <int level>
__device__ void touch_all(const void* from, void* to) {
  touch<level, 1>(from, to);
  touch<level, 2>(from, to);
  touch<level, 4>(from, to);
  touch<level, 8>(from, to);
  touch<level, 16>(from, to);
}
__global__ void every_word(const void* from, void* to) {
  touch_all<0>(from, to);
  touch_all<K::Problem::kLevels - 1>(from, to);
}
}  // namespace unit
)";

Unit every_word(const Composition& composition) {
  Unit unit = write_unit(composition, problems_to_compile_for().front()).unit;
  unit.text += kEveryWord;
  unit.kernels = {"unit::every_word"};
  return unit;
}

TEST(ConformanceOfCompilation, EveryCachePolicyCompilesForEveryWord) {
  std::vector<Composition> compositions = other_choices();
  std::ranges::move(shipped_compositions(DeviceKind::kCuda), std::back_inserter(compositions));
  std::erase_if(compositions, [](const Composition& one) { return !fills_slot(one, "cache"); });
  EXPECT_GE(compositions.size(), 5U);
  const Compiler compiler;
  for (const Composition& composition : compositions) {
    for (const char* architecture : {"sm_80", "sm_90a"}) {
      EXPECT_NO_THROW(compiler.compile(every_word(composition), architecture))
          << composition.describe() << " for " << architecture;
    }
  }
}

TEST(ConformanceOfCompilation, AHintThatIsMisspeltForOneWordDoesNotCompile) {
  const TemporaryDirectory cache;
  Unit unit = every_word(shipped_composition("prefetch"));
  const std::string right = "\"ld.\" SUFFIX \".u16";
  bool found = false;
  for (UnitHeader& header : unit.headers) {
    const std::size_t at = header.text.find(right);
    if (header.path != "msda/ptx/memory.cuh" || at == std::string::npos) continue;
    header.text.replace(at, right.size(), "\"ld.\" SUFFIX \".u61");
    found = true;
  }
  ASSERT_TRUE(found);
  EXPECT_THROW(Compiler(cache.path()).compile(unit, "sm_90a"), Error);
}

/// On one problem or the other in turn; the slow tests compile them on both.
TEST(ConformanceOfCompilation, OtherChoicesCompileForHopper) {
  const auto awkward = awkward_problems();
  std::vector<Composition> of[2];
  for (Composition& composition : other_choices()) {
    auto& half = of[0].size() > of[1].size() ? of[1] : of[0];
    half.push_back(std::move(composition));
  }
  EXPECT_FALSE(of[1].empty());
  compile_all(of[0], {awkward[3].problem}, device_to_compile_for(90));
  compile_all(of[1], {awkward[10].problem}, device_to_compile_for(90));
}

}  // namespace
}  // namespace msda
