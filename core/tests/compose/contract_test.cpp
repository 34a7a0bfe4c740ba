// A policy that lacks a member is refused with the names of its plugin and of the contract that it
// breaks, and the policies that a skeleton has by default keep theirs. Compiled for the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <msda/error.hpp>

#include "compose/skeleton.hpp"
#include "compose/unit_writer.hpp"
#include "files/read.hpp"
#include "files/temporary_directory.hpp"
#include "input/input.hpp"
#include "jit/host_compiler.hpp"

namespace msda {
namespace {

using ::testing::HasSubstr;

const Registry& registry() {
  static const Registry kRegistry({MSDA_BINARY_DIR "/lib/msda/variants"});
  return kRegistry;
}

Module compile(const Unit& unit) {
  const TemporaryDirectory cache;
  return HostCompiler(cache.path()).compile(unit);
}

Unit unit_of(const std::string& plugin) {
  Problem problem = preset("ddetr-decoder");
  problem.types = Types::all(DType::kFloat16);
  return write_unit({registry(), {{plugin, {}}}}, problem).unit;
}

/// A member of a policy, as `header` declares it.
struct Member {
  std::string contract;
  std::string plugin;
  std::string header;
  std::string declaration;
};
void PrintTo(const Member& member, std::ostream* out) { *out << member.contract; }

/// Takes the member away, by giving it another name. False when the header does not declare it.
bool take_away(Unit& unit, const Member& member) {
  for (UnitHeader& header : unit.headers) {
    if (header.path != member.header) continue;
    bool found = false;
    std::size_t at = header.text.find(member.declaration);
    while (at != std::string::npos) {
      header.text.insert(at + member.declaration.size(), "_gone");
      found = true;
      at = header.text.find(member.declaration, at + member.declaration.size());
    }
    return found;
  }
  return false;
}

class BrokenPolicy : public ::testing::TestWithParam<Member> {};

TEST_P(BrokenPolicy, IsRefusedWithTheNamesOfPluginAndContract) {
  const Member& member = GetParam();
  Unit unit = unit_of(member.plugin);
  ASSERT_TRUE(take_away(unit, member)) << member.header << " has no " << member.declaration;
  try {
    compile(unit);
    FAIL() << "compiles without " << member.declaration;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(fmt::format("plugin '{}' does not satisfy msda::{}",
                                                    member.plugin, member.contract)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    EachSlot, BrokenPolicy,
    ::testing::Values(
        Member{"ArithmeticPolicy", "mixed-precision", "mixed_precision/arithmetic.cuh",
               "static float pixels_from"},
        Member{"LayoutPolicy", "zero-border", "msda/slots/layout.cuh", "int kRunChannels"},
        Member{"SourcePolicy", "smem-levels", "smem_levels/source.cuh", "void leave"},
        Member{"MappingPolicy", "vector-loads", "msda/slots/mapping.cuh", "static bool stores"},
        Member{"OrderPolicy", "interleaved-order", "interleaved_order/order.cuh",
               "static long long query"},
        Member{"SchedulePolicy", "persistent", "persistent/schedule.cuh", "bool next"},
        Member{"MetadataPolicy", "shared-metadata", "shared_metadata/metadata.cuh",
               "void use_buffer"},
        Member{"PointFetchPolicy", "prefetch-query", "prefetch_query/point_fetch.cuh",
               "void enter"},
        Member{"CachePolicy", "l2-persist", "msda/slots/cache.cuh", "static Word load_stream"},
        Member{"UnrollPolicy", "loop-unrolling", "loop_unrolling/unroll.cuh", "bool kAlternates"},
        Member{"FetchPolicy", "memcpy-async", "memcpy_async/fetch.cuh", "void commit"},
        Member{"LaunchPolicy", "dependent-launch", "dependent_launch/launch.cuh",
               "static void begin"},
        Member{"RolesPolicy", "warp-roles", "msda/slots/roles.cuh", "int kProducerThreads"},
        Member{"PipelinePolicy", "handover", "msda/slots/pipeline.cuh", "void consumer_release"},
        Member{"KernelPolicy", "staging-copy", "staging_copy/kernel.cuh", "static void run"}),
    [](const auto& info) { return info.param.contract; });

TEST(Contract, OfEachSlotIsKeptByItsDefaultPolicy) {
  const std::pair<const char*, const char*> skeletons[] = {{"direct", "vector-loads"},
                                                           {"specialised", "warp-roles"}};
  for (const auto& [name, plugin] : skeletons) {
    Unit unit = unit_of(plugin);
    unit.kernels.clear();  // contracts alone, which takes less time
    for (const SkeletonSlot& slot : skeleton(name).slots) {
      unit.text += fmt::format(
          "static_assert(msda::{}Policy<msda::{}<unit::K, msda::NoParameters>, unit::K>);\n",
          slot.member, slot.policy);
    }
    EXPECT_NO_THROW(compile(unit)) << name;
  }
}

TEST(Contract, IsInTheHeaderThatIsNamed) {
  for (const Skeleton& skeleton : skeletons()) {
    for (const SkeletonSlot& slot : skeleton.slots) {
      if (slot.policy.empty()) continue;
      const std::string header = contract_header(skeleton, slot);
      const std::size_t slash = header.find('/');
      const std::string folder = header.starts_with("msda/")
                                     ? "/core/device/" + header.substr(0, slash)
                                     : "/core/src/operators/" + header.substr(0, slash) + "/device";
      EXPECT_THAT(read_text(MSDA_SOURCE_DIR + folder + header.substr(slash)),
                  HasSubstr("concept " + slot.member + "Policy "))
          << skeleton.name;
    }
  }
}

}  // namespace
}  // namespace msda
