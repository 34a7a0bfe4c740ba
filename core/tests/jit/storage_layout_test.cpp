// The compilers of the devices cuda and simt lay a block's shared memory out alike: what simt finds
// right is where the GPU looks for it. What a variable begins with shows where its code puts
// members.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>

#include "compose/unit_writer.hpp"
#include "files/temporary_directory.hpp"
#include "files/write.hpp"
#include "jit/compiler.hpp"
#include "jit/elf.hpp"
#include "jit/host_compiler.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

constexpr const char* kText = R"(
#include <msda/slot_list.cuh>
#include <msda/storage.cuh>

#if defined(MSDA_SIMT_HOST)
#define SEEN __attribute__((visibility("default")))
#else
#define SEEN
#endif

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
                             Part<kMetadata, Padded>, Part<kPointFetch, Three>, Part<kFetch, Nothing>>;
}  // namespace msda

extern "C" {
SEEN __device__ msda::Storage laid_out = {
    {{1, 2, 3}}, {{4, 0x0908070605040302ULL}, {{{10, 11, 12}}}}};
__device__ unsigned place_of_last = 0;
}
__global__ void probe(msda::Arguments) { place_of_last = laid_out.rest.rest.first.byte[1]; }
)";

TEST(StorageLayout, IsTheSameForBothDevices) {
  const TemporaryDirectory cache;
  const Unit unit{"layout", kText, device_headers(), {"probe"}, ""};
  const auto gpu =
      elf_symbol_bytes(Compiler(cache.path()).compile(unit, "sm_90a").cubin, "laid_out");
  ASSERT_EQ(gpu.size(), 3U * 128U);
  const fs::path library = cache.path() / "unit.so";
  const Module host = HostCompiler(cache.path()).compile(unit);
  write_atomically(library, {reinterpret_cast<const char*>(host.cubin.data()), host.cubin.size()});
  void* const loaded = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
  ASSERT_NE(loaded, nullptr) << dlerror();
  const void* const laid_out = dlsym(loaded, "laid_out");
  ASSERT_NE(laid_out, nullptr) << dlerror();
  EXPECT_EQ(std::memcmp(gpu.data(), laid_out, gpu.size()), 0);
  dlclose(loaded);
}

}  // namespace
}  // namespace msda
