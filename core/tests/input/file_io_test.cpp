#include "input/file_io.hpp"

#include <gmock/gmock.h>

#include "testing.hpp"

namespace msda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ByteSpan bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

TEST(FileIo, WritesPartsInOrderAndReplacesTheOldFile) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "file";
  const std::string a = "one ";
  const std::string b = "two";
  write_file(path, {bytes_of("something that was longer before")});
  write_file(path, {bytes_of(a), bytes_of(b)});
  EXPECT_EQ(read_text(path), "one two");
  EXPECT_THAT(files_in(directory.path()), ElementsAre("file"));
}

TEST(FileIo, AFailedWriteLeavesNothingBehindAndNamesTheFile) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "taken";
  std::filesystem::create_directories(path / "inside");  // a directory cannot be replaced by a file
  try {
    write_file(path, {bytes_of("text")});
    FAIL() << "no error";
  } catch (const EnvironmentError& e) {
    EXPECT_THAT(e.what(), HasSubstr(path.string()));
  }
  EXPECT_THAT(files_in(directory.path()), ElementsAre("taken"));
  EXPECT_THROW(write_file(directory.path() / "no" / "such", {bytes_of("text")}), EnvironmentError);
}

TEST(FileIo, ReadsPieceByPieceAndKnowsWhatIsLeft) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "file";
  write_text(path, "abcdef");
  FileReader file(path);
  EXPECT_EQ(file.remaining(), 6);
  EXPECT_EQ(file.read(2), (Bytes{std::byte{'a'}, std::byte{'b'}}));
  EXPECT_EQ(file.remaining(), 4);
  EXPECT_THAT(usage_error_of([&] { file.read(5); }), HasSubstr("4 bytes left where 5"));
  EXPECT_EQ(file.read(4).size(), 4U);
}

TEST(FileIo, NamesAFileThatIsNotThere) {
  const TemporaryDirectory directory;
  EXPECT_THAT(usage_error_of([&] { FileReader file(directory.path() / "absent"); }),
              HasSubstr("absent: no such file"));
  EXPECT_THAT(usage_error_of([&] { FileReader file(directory.path()); }),
              HasSubstr("not a regular file"));
}

}  // namespace
}  // namespace msda
