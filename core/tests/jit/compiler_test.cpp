#include "jit/compiler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include <msda/error.hpp>

#include "files/temporary_directory.hpp"
#include "jit/cuda_headers.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A cache folder of its own for each test.
class CompilerTest : public ::testing::Test {
 protected:
  TemporaryDirectory directory_;
  fs::path cache_ = directory_.path();
  Unit unit_{
      "test",
      "#include <factor.cuh>\n__global__ void scale(float* x) { x[threadIdx.x] *= kFactor; }\n",
      {{"factor.cuh", "constexpr float kFactor = 3;\n"}},
      {"scale"},
      ""};
};

TEST_F(CompilerTest, CompilesAndReportsResources) {
  const Module module = Compiler(cache_).compile(unit_, "sm_90a");
  EXPECT_FALSE(module.from_cache);
  EXPECT_GT(module.cubin.size(), 100U);
  EXPECT_GT(module.kernels.at("scale").registers, 0);
  EXPECT_EQ(module.kernels.at("scale").spill_bytes, 0);
  EXPECT_EQ(module.kernels.at("scale").symbol, "_Z5scalePf");
}

TEST_F(CompilerTest, SecondTimeComesFromTheCache) {
  const Module first = Compiler(cache_).compile(unit_, "sm_90a");
  const Module second = Compiler(cache_).compile(unit_, "sm_90a");
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(second.cubin, first.cubin);
  EXPECT_EQ(second.kernels.at("scale").registers, first.kernels.at("scale").registers);
}

TEST_F(CompilerTest, AChangedHeaderOrArchitectureIsAnotherEntry) {
  const Compiler compiler(cache_);
  const fs::path first = compiler.compile(unit_, "sm_90a").directory;
  EXPECT_NE(compiler.compile(unit_, "sm_80").directory, first);
  unit_.headers[0].text = "constexpr float kFactor = 4;\n";
  EXPECT_NE(compiler.compile(unit_, "sm_90a").directory, first);
}

TEST_F(CompilerTest, DamagedEntriesAreCompiledAgain) {
  const Compiler compiler(cache_);
  const Module first = compiler.compile(unit_, "sm_90a");
  std::ofstream(first.directory / "kernel.cubin") << "torn";
  const Module second = compiler.compile(unit_, "sm_90a");
  EXPECT_FALSE(second.from_cache);
  EXPECT_EQ(second.cubin, first.cubin);
}

/// With a driver NVRTC finds the second one in the driver's cache, which tells no resources.
TEST_F(CompilerTest, WhatWasCompiledBeforeTellsItsResourcesToo) {
  const Module first = Compiler(cache_).compile(unit_, "sm_90a");
  fs::remove_all(first.directory);
  const Module second = Compiler(cache_).compile(unit_, "sm_90a");
  EXPECT_FALSE(second.from_cache);
  EXPECT_GT(first.kernels.at("scale").registers, 0);
  EXPECT_EQ(second.kernels.at("scale").registers, first.kernels.at("scale").registers);
}

TEST_F(CompilerTest, ADamagedSourceIsNotCompiled) {
  const Compiler compiler(cache_);
  const Module first = compiler.compile(unit_, "sm_90a");
  std::ofstream(first.directory / "factor.cuh") << "constexpr float kFactor = 4;\n";
  fs::remove(first.directory / "build.json");
  EXPECT_EQ(compiler.compile(unit_, "sm_90a").cubin, first.cubin);
}

TEST_F(CompilerTest, KeepsTheSourcesForProfilers) {
  const Module module = Compiler(cache_).compile(unit_, "sm_90a");
  EXPECT_TRUE(fs::exists(module.directory / "unit.cu"));
  EXPECT_TRUE(fs::exists(module.directory / "factor.cuh"));
}

TEST_F(CompilerTest, ErrorsCarryTheLogAndTheSources) {
  unit_.text = "this is not C++\n";
  try {
    Compiler(cache_).compile(unit_, "sm_90a");
    FAIL() << "compiled";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("unit.cu"));
    EXPECT_THAT(error.what(), HasSubstr(cache_.string()));
  }
}

TEST(CudaHeaders, CudaHomeComesFirst) {
  const fs::path found = find_cuda_headers();
  setenv("CUDA_HOME", "/nowhere", 1);
  EXPECT_TRUE(fs::equivalent(find_cuda_headers(), found))
      << "a wrong CUDA_HOME must not hide the other places";
  setenv("CUDA_HOME", found.parent_path().c_str(), 1);
  EXPECT_TRUE(fs::equivalent(find_cuda_headers(), found));
  unsetenv("CUDA_HOME");
}

TEST(Architecture, HopperHasItsOwn) {
  EXPECT_EQ(architecture_name(90), "sm_90a");
  EXPECT_EQ(architecture_name(86), "sm_86");
  EXPECT_EQ(architecture_name(120), "sm_120");
}

}  // namespace
}  // namespace msda
