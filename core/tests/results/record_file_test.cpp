#include <unistd.h>

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/record.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class RecordFile : public testing::Test {
 protected:
  RecordFile()
      : directory_(fs::temp_directory_path() /
                   ("msda-results-" + std::to_string(::getpid()) + "-" +
                    testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(directory_);
  }
  ~RecordFile() override { fs::remove_all(directory_); }

  fs::path file() const { return directory_ / "records.jsonl"; }
  void append(const std::string& text) const { std::ofstream(file(), std::ios::app) << text; }

  static Record record(const std::string& cell, int registers = 0) {
    Record record;
    record.cell = cell;
    record.resources.registers = registers;
    return record;
  }

  fs::path directory_;
};

TEST_F(RecordFile, KeepsRecordsAcrossWriters) {
  RecordWriter(file()).write(record("a"));
  RecordWriter(file()).write(record("b"));
  const auto records = read_records(file());
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].cell, "a");
  EXPECT_EQ(records[1].cell, "b");
}

TEST_F(RecordFile, IgnoresATornLastLine) {
  RecordWriter(file()).write(record("a"));
  append(R"({"schema":1,"cell":"b","prob)");
  EXPECT_EQ(read_records(file()).size(), 1U);
}

TEST_F(RecordFile, AWriterCutsOffATornLastLine) {
  RecordWriter(file()).write(record("a"));
  append(R"({"schema":1,"cell":"b","prob)");
  RecordWriter(file()).write(record("c"));
  const auto records = read_records(file());
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].cell, "c");
}

TEST_F(RecordFile, ALaterRecordOfACellReplacesTheEarlier) {
  RecordWriter writer(file());
  writer.write(record("a", 1));
  writer.write(record("b", 2));
  writer.write(record("a", 3));
  const auto records = read_records(file());
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].resources.registers, 3);
}

TEST_F(RecordFile, ABrokenLineInsideIsAnErrorWithItsNumber) {
  RecordWriter writer(file());
  writer.write(record("a"));
  append("not json\n");
  writer.write(record("b"));
  try {
    read_records(file());
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("records.jsonl:2: not a JSON line"));
  }
}

TEST_F(RecordFile, MissingFileIsAUsageErrorWithItsName) {
  try {
    read_records(directory_ / "absent.jsonl");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("absent.jsonl"));
  }
}

TEST_F(RecordFile, AtomicWriteReplacesAndLeavesNothingElse) {
  write_atomically(directory_ / "m.json", "one");
  write_atomically(directory_ / "m.json", "two");
  std::ifstream stream(directory_ / "m.json");
  std::ostringstream text;
  text << stream.rdbuf();
  EXPECT_EQ(text.str(), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), fs::directory_iterator()), 1);
}

TEST_F(RecordFile, AtomicWriteIntoNowhereSaysWhere) {
  try {
    write_atomically(directory_ / "absent" / "m.json", "x");
    FAIL();
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), HasSubstr("absent/m.json"));
  }
}

}  // namespace
}  // namespace msda
