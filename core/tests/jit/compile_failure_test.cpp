#include "jit/compile_failure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <msda/error.hpp>

#include "files/temporary_directory.hpp"
#include "jit/host_compiler.hpp"
#include "support/files.hpp"

namespace msda {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(CompileFailure, NamesTheAuthorsFile) {
  const Unit unit{"my-order", "", {{"my_order/order.cuh", ""}, {"msda/launch.cuh", ""}}, {}, ""};
  const std::string said = compile_failure(
      unit, "sm_90a", "/cache/key",
      "/cache/key/my_order/order.cuh(22): error: no\n/cache/key/msda/launch.cuh(3): note\n\n");
  EXPECT_EQ(said,
            "compiling my-order for sm_90a failed:\nmy-order: device/order.cuh(22): error: no\n"
            "msda/launch.cuh(3): note\nsources as compiled: /cache/key");
}

TEST(CompileFailure, SaysWhatToCallInPlaceOfAnIntrinsic) {
  const std::string said = compile_failure(
      {}, "the host", "/x",
      "error: '__syncthreads' was not declared in this scope\nnote: __ldg_more not declared\n");
  EXPECT_THAT(said, HasSubstr("hint: device code calls simt::syncthreads() in place of "
                              "__syncthreads\n"));
  EXPECT_THAT(said, Not(HasSubstr("ptx::ldg")));
}

TEST(CompileFailure, OfTheHostsCompilerHasNoCommandLine) {
  const TemporaryDirectory cache;
  const Unit unit{
      "mine",
      "#include <mine/a.cuh>\n",
      {{"mine/a.cuh", "inline void f() { __syncthreads(); }\n"}, {"msda/simt/host/unit.cuh", "\n"}},
      {},
      ""};
  try {
    HostCompiler(cache.path()).compile(unit);
    FAIL() << "compiled";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("mine: device/a.cuh:1:"));
    EXPECT_THAT(error.what(), HasSubstr("simt::syncthreads()"));
    EXPECT_THAT(error.what(), Not(HasSubstr("-fsanitize")));
  }
}

/// A compiler that says that it is of the version, and is the usual one.
class HostCompilerTest : public ::testing::Test {
 protected:
  Module compile(const std::string& version, const Unit& unit) {
    const auto script =
        directory_.write("cxx", "#!/bin/sh\nif [ \"$1\" = -dumpfullversion ]; then echo " +
                                    version + "; else exec g++ \"$@\"; fi\n");
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    const ScopedVariable named("MSDA_CXX", script.c_str());
    return HostCompiler(directory_.path() / "cache").compile(unit);
  }

  TemporaryDirectory directory_;
};

/// A unit of nothing but a header of its own.
Unit unit_with(const std::string& header) {
  return {"mine",
          "#include <mine/a.cuh>\n",
          {{header, "inline int f() { return 1; }\n"},
           {"msda/simt/host/unit.cuh", "\n"},
           {"msda/simt/host/hooks.cuh", "\n"}},
          {},
          ""};
}

TEST_F(HostCompilerTest, WhatAnotherVersionCompiledIsCompiledAgain) {
  EXPECT_FALSE(compile("12.1.0", unit_with("mine/a.cuh")).from_cache);
  EXPECT_TRUE(compile("12.1.0", unit_with("mine/a.cuh")).from_cache);
  EXPECT_FALSE(compile("12.2.0", unit_with("mine/a.cuh")).from_cache);
}

TEST_F(HostCompilerTest, AHeaderUnderAnotherNameIsAnotherUnit) {
  EXPECT_NO_THROW(compile("12.1.0", unit_with("mine/a.cuh")));
  EXPECT_THROW(compile("12.1.0", unit_with("mine/b.cuh")), Error);
}

}  // namespace
}  // namespace msda
