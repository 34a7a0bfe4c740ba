// What comes out of the cache is what was compiled for that key by this user, or it is compiled
// again.
#include "jit/compile_cache.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <msda/error.hpp>

#include "files/exposure.hpp"
#include "files/temporary_directory.hpp"
#include "jit/cache_entry.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Flips one bit in the middle of the file.
void flip_bit(const fs::path& file) {
  std::string text = text_of(file);
  text[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 1);
  std::ofstream(file, std::ios::binary) << text;
}

class CompileCacheTest : public ::testing::Test {
 protected:
  /// A compiler that returns its sources.
  Module get(const std::string& key = "key") {
    return CompileCache(place_).get(key, kSharedObject, unit_, [&](const fs::path& directory) {
      ++compiled_;
      compiled_text_ = text_of(directory / "unit.cu") + text_of(directory / "part/header.cuh");
      Module module;
      for (const char c : compiled_text_) module.cubin.push_back(static_cast<std::byte>(c));
      module.kernels["kernel"] = {"symbol", 32, 1024, 8};
      module.plan_symbol = "plan";
      module.log = "words";
      return module;
    });
  }

  fs::path entry(const std::string& key = "key") const { return fs::canonical(place_) / key; }

  TemporaryDirectory directory_;
  fs::path place_ = directory_.path() / "cache";
  Unit unit_{"test", "unit text\n", {{"part/header.cuh", "header text\n"}}, {"kernel"}, "plan"};
  int compiled_ = 0;
  std::string compiled_text_;
};

TEST_F(CompileCacheTest, KeepsAllThatWasCompiled) {
  const Module first = get();
  const Module second = get();
  EXPECT_EQ(compiled_, 1);
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(second.cubin, first.cubin);
  EXPECT_EQ(second.hash, first.hash);
  EXPECT_EQ(second.plan_symbol, "plan");
  EXPECT_EQ(second.log, "words");
  EXPECT_EQ(second.kernels.at("kernel").registers, 32);
  EXPECT_EQ(second.kernels.at("kernel").static_shared_bytes, 1024);
  EXPECT_EQ(second.kernels.at("kernel").spill_bytes, 8);
  EXPECT_EQ(second.directory, entry());
}

class DamagedFile : public CompileCacheTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(DamagedFile, IsMadeAnew) {
  const Module first = get();
  // Sources are needed again when what was made of them is gone.
  if (fs::path(GetParam()).extension().string().starts_with(".cu")) fs::remove(entry() / "unit.so");
  flip_bit(entry() / GetParam());
  const Module second = get();
  EXPECT_EQ(compiled_, 2);
  EXPECT_EQ(compiled_text_, "unit text\nheader text\n");
  EXPECT_EQ(second.cubin, first.cubin);
  EXPECT_TRUE(get().from_cache);
}

INSTANTIATE_TEST_SUITE_P(Each, DamagedFile,
                         ::testing::Values("unit.cu", "part/header.cuh", "build.json", "unit.so"));

TEST_F(CompileCacheTest, EveryBitOfWhatIsKnownOfABuildCounts) {
  get();
  const std::string whole = text_of(entry() / "build.json");
  for (std::size_t place = 0; place < whole.size(); ++place) {
    std::string changed = whole;
    changed[place] = static_cast<char>(changed[place] ^ 1);
    std::ofstream(entry() / "build.json", std::ios::binary) << changed;
    const auto loaded = load_entry(entry(), kSharedObject, "key");
    EXPECT_FALSE(loaded.has_value()) << place;
  }
}

TEST_F(CompileCacheTest, OfSeveralThreadsOneCompiles) {
  const CompileCache cache(place_);
  std::atomic<int> compiled{0};
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const Module module = cache.get("key", kSharedObject, unit_, [&](const fs::path&) {
        ++compiled;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        Module made;
        made.cubin.resize(8);
        return made;
      });
      EXPECT_EQ(module.cubin.size(), 8U);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(compiled, 1);
}

TEST_F(CompileCacheTest, AnEntryCountsUnderItsOwnKeyAlone) {
  get("one");
  fs::copy(entry("one"), entry("two"), fs::copy_options::recursive);
  EXPECT_FALSE(get("two").from_cache);
}

TEST_F(CompileCacheTest, APowerCutLeavesEmptyFilesThatAreWrittenAgain) {
  get();
  for (const char* file : {"unit.cu", "part/header.cuh", "unit.so", "build.json"}) {
    std::ofstream(entry() / file, std::ios::trunc).flush();
  }
  EXPECT_FALSE(get().from_cache);
  EXPECT_EQ(compiled_text_, "unit text\nheader text\n");
  EXPECT_TRUE(get().from_cache);
}

TEST_F(CompileCacheTest, WhatEverybodyCouldHaveWrittenDoesNotRun) {
  for (const char* file : {"", "build.json", "unit.so"}) {
    get();
    const int before = compiled_;
    const fs::path exposed = *file == '\0' ? entry() : entry() / file;
    ASSERT_EQ(::chmod(exposed.c_str(), 0777), 0);
    EXPECT_FALSE(get().from_cache) << exposed;
    EXPECT_EQ(compiled_, before + 1);
    EXPECT_TRUE(get().from_cache) << exposed;
  }
}

TEST_F(CompileCacheTest, ACacheThatOthersMayWriteIsLeftAlone) {
  ASSERT_EQ(::mkdir(place_.c_str(), 0755), 0);
  ASSERT_EQ(::chmod(place_.c_str(), 0777), 0);
  const CompileCache cache(place_);
  EXPECT_THAT(cache.directory().string(), IsEmpty());
  EXPECT_THAT(cache.refusal(), HasSubstr("everybody may write"));
  EXPECT_FALSE(get("left alone").from_cache);
  EXPECT_TRUE(get("left alone").from_cache);  // of this process
  EXPECT_TRUE(fs::is_empty(place_));
}

TEST_F(CompileCacheTest, ADirectoryAboveItThatOthersMayWriteIsNotTrusted) {
  ASSERT_EQ(::chmod(directory_.path().c_str(), 0777), 0);
  EXPECT_THAT(CompileCache(place_).refusal(), HasSubstr("everybody may write"));
  ASSERT_EQ(::chmod(directory_.path().c_str(), 01777), 0);  // as /tmp
  EXPECT_THAT(CompileCache(place_).refusal(), IsEmpty());
}

TEST_F(CompileCacheTest, WhatAnotherUserOwnsDoesNotRun) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  get();
  constexpr uid_t kSomebody = 12345;
  ASSERT_EQ(::chown((entry() / "unit.so").c_str(), kSomebody, kSomebody), 0);
  EXPECT_FALSE(get().from_cache);
  ASSERT_EQ(::chown(entry().c_str(), kSomebody, kSomebody), 0);
  EXPECT_FALSE(get().from_cache);
  ASSERT_EQ(::chown(place_.c_str(), kSomebody, kSomebody), 0);
  EXPECT_THAT(CompileCache(place_).refusal(), HasSubstr("belongs to another user"));
}

TEST_F(CompileCacheTest, WhereNothingCanBeWrittenItCostsTimeOnly) {
  std::ofstream(place_) << "a file where the directory should be";
  EXPECT_THAT(CompileCache(place_).directory().string(), IsEmpty());
  EXPECT_FALSE(get("nowhere").from_cache);
  EXPECT_EQ(compiled_text_, "unit text\nheader text\n");
}

TEST_F(CompileCacheTest, AnEntryThatCannotBeWrittenIsMadeElsewhere) {
  ASSERT_EQ(::mkdir(place_.c_str(), 0755), 0);
  std::ofstream(place_ / "elsewhere") << "a file where the entry should be";
  EXPECT_FALSE(get("elsewhere").from_cache);
  EXPECT_EQ(compiled_text_, "unit text\nheader text\n");
}

TEST_F(CompileCacheTest, WhatItCreatesOthersCannotWriteWhateverTheMaskSays) {
  const mode_t before = ::umask(0);
  get();
  ::umask(before);
  EXPECT_TRUE(get().from_cache);
  EXPECT_THAT(exposure(entry() / "part"), IsEmpty());
}

}  // namespace
}  // namespace msda
