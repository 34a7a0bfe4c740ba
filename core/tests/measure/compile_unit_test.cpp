// The real compiler behind compile_all(), as a GPU's worker uses it, without a GPU.
#include <gtest/gtest.h>

#include "device/compiled_unit.hpp"
#include "files/temporary_directory.hpp"
#include "input/input.hpp"
#include "measure/compile_all.hpp"
#include "support/no_device.hpp"

namespace msda {
namespace {

TEST(CompileUnit, CompilesOnceAndThenComesFromTheCache) {
  const TemporaryDirectory cache;
  const Compiler compiler(cache.path());
  DeviceInfo hopper;
  hopper.compute_capability = 90;
  NoDevice device([&](const Composition& composition, const Problem& problem) {
    return compile_unit(compiler, composition, problem, hopper);
  });
  // The first two are equal: two threads may meet in one entry of the cache.
  const Composition wide(shipped(), {{"vector-loads", {}}});
  const Composition narrow(shipped(), {{"thread-per-channel", {}}});
  const std::vector<const Composition*> compositions = {&wide, &wide, &narrow};
  const auto compile = [&] {
    return compile_all(device, compositions, preset("ddetr-decoder"), [](const auto&) {});
  };
  const auto first = compile();
  const auto second = compile();
  for (std::size_t i = 0; i < compositions.size(); ++i) {
    ASSERT_FALSE(first[i].failure || second[i].failure);
    EXPECT_TRUE(second[i].build.compilation.from_cache);
    EXPECT_GT(first[i].build.compilation.seconds, 0);
    EXPECT_EQ(first[i].build.unit->module.hash, second[i].build.unit->module.hash);
  }
  EXPECT_FALSE(first[2].build.compilation.from_cache);
  EXPECT_NE(first[0].build.unit->module.hash, first[2].build.unit->module.hash);
}

}  // namespace
}  // namespace msda
