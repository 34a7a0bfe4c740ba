#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files/read.hpp"
#include "files/write.hpp"

#include "support/files.hpp"

namespace msda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TEST(Files, WritesPartsInOrderAndReplacesTheOldFile) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "file";
  const std::string a = "one ";
  const std::string b = "two";
  write_atomically(path, {bytes_of("something that was longer before")});
  write_atomically(path, {bytes_of(a), bytes_of(b)});
  EXPECT_EQ(read_text(path), "one two");
  EXPECT_THAT(files_in(directory.path()), ElementsAre("file"));
}

TEST(Files, AFailedWriteLeavesNothingBehindAndNamesTheFile) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "taken";
  std::filesystem::create_directories(path / "inside");  // a directory cannot be replaced by a file
  try {
    write_atomically(path, {bytes_of("text")});
    FAIL() << "no error";
  } catch (const EnvironmentError& e) {
    EXPECT_THAT(e.what(), HasSubstr(path.string()));
  }
  EXPECT_THAT(files_in(directory.path()), ElementsAre("taken"));
  const auto fault = [](const std::filesystem::path& place) -> std::string {
    try {
      write_atomically(place, {bytes_of("text")});
    } catch (const EnvironmentError& e) {
      return e.what();
    }
    return "";
  };
  const auto folder = directory.path() / "no";
  EXPECT_EQ(fault(folder / "such"), fmt::format("cannot write {}: there is no directory {}",
                                                (folder / "such").string(), folder.string()));
  EXPECT_EQ(fault(""), "cannot write a file without a name");
}

TEST(Files, APlaceForADirectoryIsTriedAndLeftAsItWas) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.path() / "there");
  write_text(directory.path() / "there" / "file", "text");
  require_directory_place(directory.path() / "there");
  require_directory_place(directory.path() / "new" / "below" / "");
  EXPECT_THAT(files_in(directory.path()), SizeIs(1));
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "new"));
  for (const char* place : {"/proc/x", "/dev/null/x"}) {
    try {
      require_directory_place(place);
      ADD_FAILURE() << place << " was taken";
    } catch (const EnvironmentError& error) {
      EXPECT_THAT(error.what(), HasSubstr(std::string("cannot write into the directory ") + place));
    }
  }
}

TEST(Files, APipeADeviceOrALinkIsNotReplaced) {
  const TemporaryDirectory directory;
  const auto pipe = directory.path() / "pipe";
  const auto link = directory.path() / "link";
  const auto dangling = directory.path() / "dangling";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::filesystem::create_symlink(directory.write("file", "old"), link);
  std::filesystem::create_symlink("nowhere", dangling);
  for (const auto& [place, words] :
       {std::pair(pipe, "it is a pipe"), std::pair(link, "it is a link to"),
        std::pair(dangling, "it is a link to nowhere"),
        std::pair(std::filesystem::path("/dev/full"), "it is a device")}) {
    try {
      write_atomically(place, {bytes_of("text")});
      ADD_FAILURE() << place << " was replaced";
    } catch (const EnvironmentError& error) {
      EXPECT_THAT(error.what(), HasSubstr(words));
    }
  }
  EXPECT_EQ(read_text(directory.path() / "file"), "old");
  EXPECT_THAT(files_in(directory.path()), SizeIs(4));
}

TEST(Files, ReadsPieceByPieceAndKnowsWhatIsLeft) {
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

TEST(Files, NamesAFileThatIsNotThere) {
  const TemporaryDirectory directory;
  EXPECT_THAT(usage_error_of([&] { FileReader file(directory.path() / "absent"); }),
              HasSubstr("absent: no such file"));
  EXPECT_THAT(usage_error_of([&] { FileReader file(directory.path()); }),
              HasSubstr("it is a directory"));
}

TEST(Files, APipeOrADeviceIsRefusedAtOnce) {
  const TemporaryDirectory directory;
  const auto pipe = directory.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(usage_error_of([&] { read_text(pipe); }), HasSubstr("pipe: not a regular file"));
  EXPECT_THAT(usage_error_of([] { read_text("/dev/zero"); }), HasSubstr("not a regular file"));
}

TEST(Files, AWholeFileIsReadUpToALimit) {
  const TemporaryDirectory directory;
  const auto file = directory.write("file", std::string(100'000, 'x'));
  EXPECT_EQ(read_text(file, 100'000), std::string(100'000, 'x'));
  EXPECT_THAT(usage_error_of([&] { read_text(file, 99'999); }), HasSubstr("more than 99999 bytes"));
  EXPECT_EQ(read_text_if_there(file).value().size(), 100'000U);
  EXPECT_FALSE(read_text_if_there(directory.path() / "absent"));
}

TEST(Files, AFileThatTellsNoSizeIsReadToItsEnd) {
  EXPECT_THAT(read_text("/proc/self/status"), HasSubstr("Name:"));
}

TEST(Files, NamesForWhatIsNotYetThereAreDifferent) {
  const std::filesystem::path target = "/some/where.json";
  const auto name = temporary_beside(target);
  EXPECT_EQ(name.parent_path(), target.parent_path());
  EXPECT_EQ(name.extension(), kTemporarySuffix);
  EXPECT_NE(name, temporary_beside(target));
}

}  // namespace
}  // namespace msda
