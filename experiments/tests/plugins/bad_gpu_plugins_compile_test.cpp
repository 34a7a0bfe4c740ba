// The kernels of the plugins that go wrong on a GPU compile where there is none.
#include <gtest/gtest.h>

#include "compose/unit_writer.hpp"
#include "device/compiled_unit.hpp"
#include "jit/compiler.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

TEST(BadGpuPlugins, Compile) {
  const Registry registry({gpu_fixture_directory()});
  DeviceInfo device;
  device.kind = DeviceKind::kCuda;
  device.compute_capability = 90;
  device.shared_bytes = 227 << 10;
  const Compiler compiler;
  for (const ParameterValue& choice :
       registry.find("gpu-fixture").variant->info().parameters.front().choices) {
    const Composition composition(registry, {{"gpu-fixture", {{"behaviour", choice}}}});
    EXPECT_NO_THROW(compile_unit(compiler, composition, tiny_problem().problem, device))
        << to_string(choice);
  }
}

}  // namespace
}  // namespace msda::test
