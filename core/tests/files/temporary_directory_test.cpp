#include "files/temporary_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryDirectory, IsNewAndGoneWithAllThatIsInIt) {
  fs::path path;
  {
    const TemporaryDirectory one;
    const TemporaryDirectory other;
    EXPECT_NE(one.path(), other.path());
    EXPECT_THAT(files_in(one.path()), testing::IsEmpty());
    EXPECT_EQ(read_text(one.write("name", "text")), "text");
    path = one.path();
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryDirectory, LiesWhereItIsAskedTo) {
  const TemporaryDirectory outer;
  const TemporaryDirectory inner(outer.path());
  EXPECT_EQ(inner.path().parent_path(), outer.path());
  EXPECT_THROW(TemporaryDirectory(outer.path() / "absent"), EnvironmentError);
}

}  // namespace
}  // namespace msda
