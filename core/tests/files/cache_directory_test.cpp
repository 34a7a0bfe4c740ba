#include "files/cache_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files.hpp"

namespace msda {
namespace {

TEST(CacheDirectory, PrefersItsOwnVariable) {
  const ScopedVariable own("MSDA_CACHE_DIR", "/some/where");
  const ScopedVariable xdg("XDG_CACHE_HOME", "/xdg");
  EXPECT_EQ(cache_directory(), "/some/where");
}

TEST(CacheDirectory, FollowsXdg) {
  const ScopedVariable own("MSDA_CACHE_DIR", nullptr);
  const ScopedVariable home("HOME", "/home/me");
  const ScopedVariable xdg("XDG_CACHE_HOME", "/xdg");
  EXPECT_EQ(cache_directory(), "/xdg/msda");
  const ScopedVariable relative("XDG_CACHE_HOME", "relative");
  EXPECT_EQ(cache_directory(), "/home/me/.cache/msda");
}

TEST(CacheDirectory, AnEmptyVariableIsUnset) {
  const ScopedVariable own("MSDA_CACHE_DIR", "");
  const ScopedVariable xdg("XDG_CACHE_HOME", "");
  const ScopedVariable home("HOME", "/home/me");
  EXPECT_EQ(cache_directory(), "/home/me/.cache/msda");
}

TEST(CacheDirectory, SaysWhatToSetWhenThereIsNoHome) {
  const ScopedVariable own("MSDA_CACHE_DIR", nullptr);
  const ScopedVariable xdg("XDG_CACHE_HOME", nullptr);
  const ScopedVariable home("HOME", nullptr);
  try {
    cache_directory();
    FAIL() << "no error";
  } catch (const EnvironmentError& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("MSDA_CACHE_DIR"));
  }
}

}  // namespace
}  // namespace msda
