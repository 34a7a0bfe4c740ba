// Kernels that are wrong are diagnosed, whatever order their threads run in, and the same kernels
// done right are not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "compose/unit_writer.hpp"
#include "device/simt/loaded_unit.hpp"
#include "jit/host_compiler.hpp"

namespace msda::simt {
namespace {

using ::testing::HasSubstr;

struct Broken {
  std::string kernel;
  Diagnosis diagnosis;
  std::vector<std::string> says;  ///< parts of the message
  bool races = false;             ///< found when races are looked for
  unsigned cluster = 1;
  bool by_luck = false;    ///< found with seed 0, and with others when the order is right
  bool dependent = false;  ///< the launch may begin early
};
/// What a test's parameter is called.
void PrintTo(const Broken& kernel, std::ostream* out) { *out << kernel.kernel; }

std::vector<Broken> corpus() {
  using enum Diagnosis;
  return {
      {"exchange", kRace, {"nothing orders the two", "corpus.cuh"}, true},
      {"exchange_twice", kRace, {"nothing orders the two"}, true},
      {"early_exit", kEarlyExit, {"threads 60-63 left the kernel", "60 of 64 arrivals"}},
      {"divergence", kDivergence, {"block barrier", "corpus.cuh"}},
      {"deadlock",
       kDeadlock,
       {"threads 0-31 wait at a named barrier (1)", "32 of 64 arrivals",
        "threads 32-63 wait for a flag", "0 times of 1"}},
      {"spin", kSpin, {"threads 0-31 wait at a named barrier", "threads 32-63 run"}},
      {"absent_lane", kAbsentLane, {"lane 5 has left the kernel"}},
      {"warp_divergence", kDivergence, {"warp barrier", "shuffle"}},
      {"shuffle_for_barrier", kRace, {"nothing orders the two"}, true},
      {"wrong_mask", kMisuse, {"leaves it out"}},
      {"part_of_a_warp", kMisuse, {"barrier 1 for 48 threads", "whole warps of a block of 64"}},
      {"more_than_the_block", kMisuse, {"barrier 1 for 96 threads"}},
      {"corner", kOutOfBoundsGlobal, {"0 bytes past the end of value (256 bytes)", "corpus.cuh"}},
      {"hinted_corner",
       kOutOfBoundsGlobal,
       {"0 bytes past the end of value (256 bytes), in corpus.cuh"}},
      {"write_to_input", kOutOfBoundsGlobal, {"value", "only read"}},
      {"beyond_shared", kOutOfBoundsShared, {"of 1024 bytes", "corpus.cuh"}},
      {"uninitialised", kUninitialisedShared, {"byte 252", "nothing was written"}},
      {"misaligned", kMisaligned, {"4 bytes"}},
      {"unwaited_copy", kUninitialisedShared, {"asynchronous copy"}},
      {"arrivals", kDeadlock, {"2 of 3 arrivals"}},
      {"too_many_arrivals", kMisuse, {"more arrivals"}},
      {"bytes", kDeadlock, {"16 announced bytes to come"}},
      {"unpublished", kUninitialisedShared, {"nothing was written"}},
      {"unpublished_to_tma", kProxy, {"made known to the TMA"}},
      {"untold_of_copy", kRace, {"the TMA wrote it in an asynchronous copy"}, true},
      {"unwaited_bulk_copy",
       kLeftBehind,
       {"a bulk copy to its shared memory", "corpus_copies.cuh"},
       false,
       1,
       true},
      {"half_a_barrier", kLeftBehind, {"barrier 1 has 32 of 64 arrivals"}},
      {"unfenced", kProxy, {"256 bytes", "fence.proxy.async"}},
      {"unfenced_reduction", kProxy, {"a bulk reduction of 256 bytes", "fence.proxy.async"}},
      {"reused_too_early", kRace, {"in an asynchronous copy", "corpus_copies.cuh"}, true},
      {"untold_of_reduction", kRace, {"in an asynchronous copy", "corpus_copies.cuh"}, true},
      {"unwaited_reduction",
       kLeftBehind,
       {"a bulk reduction from its shared memory", "corpus_copies.cuh"}},
      {"reduction_of_nothing", kUninitialisedShared, {"where not all was written"}},
      {"tally", kGlobalRace, {"block 1 thread 0 reads 4 bytes", "block 0 wrote there"}, true},
      {"half_a_tally",
       kGlobalRace,
       {"block 1 thread 0 reads 4 bytes", "block 0 wrote there"},
       true},
      {"written_before_the_count", kGlobalRace, {"block 0 wrote there"}, true},
      {"beyond_the_end",
       kOutOfBoundsGlobal,
       {"copies 256 bytes", "from at byte 16 of value (256 bytes)", "corpus_copies.cuh"}},
      {"last_to_come",
       kGlobalRace,
       {"block 1 thread 0 reads 4 bytes", "block 0 wrote there"},
       true},
      {"written_behind_the_fence", kGlobalRace, {"block 0 wrote there"}, true},
      {.kernel = "early_write",
       .diagnosis = kDependency,
       .says = {"touches output", "griddepcontrol.wait", "corpus_copies.cuh"},
       .dependent = true},
      {.kernel = "early_copy",
       .diagnosis = kDependency,
       .says = {"thread 1 touches value"},
       .dependent = true},
      {"query_twice", kMisuse, {"query 3 of image 1 for position 7 and again for position 124"}},
      {"cluster_read", kRace, {"nothing orders the two"}, true, 2},
      {"deadlock_beside", kDeadlock, {"threads 0-31 wait at a block barrier"}, false, 2},
      {"cluster_leave", kGone, {"of the shared memory of block"}, true, 2},
      {"cluster_gone", kGone, {"of block 1, all of whose threads have left"}, false, 2, true},
  };
}

std::string expression(const std::string& kernel, bool right) {
  return "corpus::" + kernel + (right ? "<true>" : "<false>");
}

/// All kernels, compiled once.
const LoadedUnit& unit() {
  static const LoadedUnit kUnit = [] {
    Unit unit;
    unit.label = "the corpus";
    unit.text = "#include <corpus_copies.cuh>\n";
    unit.headers = device_headers();
    for (const std::string name : {"corpus.cuh", "corpus_copies.cuh"}) {
      std::ifstream file(std::string(MSDA_SIMT_CORPUS) + "/" + name);
      unit.headers.push_back({name, std::string(std::istreambuf_iterator<char>(file), {})});
    }
    for (const Broken& broken : corpus()) {
      unit.kernels.push_back(expression(broken.kernel, false));
      unit.kernels.push_back(expression(broken.kernel, true));
    }
    unit.kernels.push_back(expression("prints", true));
    return LoadedUnit(HostCompiler().compile(unit));
  }();
  return kUnit;
}

void run_kernel(const Broken& broken, bool right, const Options& options) {
  // Far from each other: what runs out of one does not run into the other.
  alignas(16) static unsigned storage[4096];
  std::ranges::fill(storage, 0U);  // a launch that was ended leaves counts half way
  unsigned* const value = storage;
  unsigned* const output = storage + 2048;
  constexpr std::size_t kBytes = 64 * sizeof(unsigned);
  constexpr std::size_t kOutputBytes = 2 * kBytes;
  ForwardArguments arguments{};
  arguments.value = value;
  arguments.output = output;
  Grid grid;
  grid.kernel = unit().kernel(expression(broken.kernel, right));
  grid.blocks = 2;
  grid.threads = 64;
  grid.cluster = broken.cluster;
  grid.shared_bytes = 1024;
  grid.dependent = broken.dependent;
  run(grid, &arguments, unit().image(), unit().attach(),
      {{value, kBytes, "value", false},
       {output, kOutputBytes, "output", true},
       {&arguments, sizeof arguments, "the arguments", false}},
      options);
}

constexpr std::uint64_t kSeeds = 20;

class Corpus : public ::testing::TestWithParam<Broken> {};

TEST_P(Corpus, IsDiagnosedWithEverySeed) {
  const Broken& broken = GetParam();
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Options options;
    options.seed = seed;
    options.races = broken.races;
    options.spin_steps = 200'000;
    try {
      run_kernel(broken, false, options);
      if (seed == 0 || !broken.by_luck) ADD_FAILURE() << "not found with seed " << seed;
    } catch (const Fault& fault) {
      // A missing barrier may also show as memory that nobody has written yet.
      const bool expected = fault.diagnosis() == broken.diagnosis ||
                            (broken.races && fault.diagnosis() == Diagnosis::kUninitialisedShared);
      EXPECT_TRUE(expected) << "seed " << seed << ": " << fault.what();
      if (fault.diagnosis() != broken.diagnosis) continue;
      for (const std::string& part : broken.says) EXPECT_THAT(fault.what(), HasSubstr(part));
    }
  }
}

TEST_P(Corpus, IsNotFlaggedWhenDoneRight) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    for (const bool races : {false, true}) {
      Options options;
      options.seed = seed;
      options.races = races && GetParam().kernel != "spin";  // a plain flag is a race
      EXPECT_NO_THROW(run_kernel(GetParam(), true, options)) << "seed " << seed;
    }
  }
}

TEST(CorpusLines, SayWhichThreadPrintedThem) {
  testing::internal::CaptureStderr();
  run_kernel({"prints", Diagnosis::kSpin, {}}, true, {});
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "block 0 thread 5: 4 of 8\nblock 1 thread 5: 4 of 8\n");
}

INSTANTIATE_TEST_SUITE_P(Kernels, Corpus, ::testing::ValuesIn(corpus()),
                         [](const auto& info) { return info.param.kernel; });

}  // namespace
}  // namespace msda::simt
