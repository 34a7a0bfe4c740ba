// The compilers of the devices cuda and simt lay a block's shared memory out alike: what simt finds
// right is where the GPU looks for it. What a variable begins with shows where its code puts members.
#include <gtest/gtest.h>

#include "compose/unit_writer.hpp"
#include "files/temporary_directory.hpp"
#include "jit/compiler.hpp"
#include "jit/elf.hpp"
#include "jit/host_compiler.hpp"

namespace msda {
namespace {

constexpr const char* kText = R"(
#include <msda/storage.cuh>

namespace msda {
struct Nothing {};
struct Three {
  unsigned char byte[3];
};
struct Padded {
  unsigned char byte;
  unsigned long long word;
};
using Storage = BlockStorage<Part<kOrder, Nothing>, Part<kMapping, Three>, Part<kSource, Nothing>,
                             Part<kMetadata, Padded>, Part<kPipeline, Three>, Part<kFetch, Nothing>>;
}  // namespace msda

extern "C" {
__device__ msda::Storage laid_out = {
    {{1, 2, 3}}, {{4, 0x0908070605040302ULL}, {{{10, 11, 12}}}}};
__device__ unsigned place_of_last = 0;
}
__global__ void probe(msda::Arguments) { place_of_last = laid_out.rest.rest.first.byte[1]; }
)";

TEST(StorageLayout, IsTheSameForBothDevices) {
  const TemporaryDirectory cache;
  const Unit unit{"layout", kText, device_headers(), {"probe"}, ""};
  const auto gpu = elf_symbol_bytes(
      Compiler(cache.path()).compile(unit, "sm_90a").cubin, "laid_out");
  const auto host = elf_symbol_bytes(HostCompiler(cache.path()).compile(unit).cubin, "laid_out");
  EXPECT_EQ(gpu.size(), 3U * 128U);
  EXPECT_EQ(gpu, host);
}

}  // namespace
}  // namespace msda
