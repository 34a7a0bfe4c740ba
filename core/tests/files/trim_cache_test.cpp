#include "files/trim_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "support/files.hpp"

namespace msda {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

class TrimCache : public testing::Test {
 protected:
  void add(const std::string& name, std::size_t bytes, std::chrono::minutes age) const {
    write_text(directory_.path() / name, std::string(bytes, 'x'));
    std::filesystem::last_write_time(directory_.path() / name,
                                     std::filesystem::file_time_type::clock::now() - age);
  }

  TemporaryDirectory directory_;
};

TEST_F(TrimCache, RemovesTheEntriesUnusedForLongest) {
  add("new.f64", 40, std::chrono::minutes(1));
  add("middle.f64", 60, std::chrono::minutes(2));
  add("old.f64", 1, std::chrono::minutes(3));
  trim_cache(directory_.path(), ".f64", 101);
  EXPECT_THAT(files_in(directory_.path()),
              UnorderedElementsAre("new.f64", "middle.f64", "old.f64"));
  trim_cache(directory_.path(), ".f64", 100);
  EXPECT_THAT(files_in(directory_.path()), UnorderedElementsAre("new.f64", "middle.f64"));
  trim_cache(directory_.path(), ".f64", 0);
  EXPECT_THAT(files_in(directory_.path()), IsEmpty());
}

TEST_F(TrimCache, RemovesOnlyTemporaryFilesThatNobodyWrites) {
  add("a.f64.1-0.tmp", 10, std::chrono::minutes(61));
  add("b.f64.2-0.tmp", 10, std::chrono::minutes(1));
  trim_cache(directory_.path(), ".f64", 0);
  EXPECT_THAT(files_in(directory_.path()), UnorderedElementsAre("b.f64.2-0.tmp"));
}

TEST_F(TrimCache, LeavesOtherFilesAlone) {
  add("notes.txt", 1000, std::chrono::minutes(1000));
  trim_cache(directory_.path(), ".f64", 0);
  EXPECT_THAT(files_in(directory_.path()), UnorderedElementsAre("notes.txt"));
}

}  // namespace
}  // namespace msda
