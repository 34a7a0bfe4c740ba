#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <msda/error.hpp>

#include <msda/error.hpp>

#include "files/temporary_directory.hpp"
#include "results/record.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;

class RecordFile : public testing::Test {
 protected:
  fs::path file() const { return directory_.path() / "records.jsonl"; }
  void append(const std::string& text) const { std::ofstream(file(), std::ios::app) << text; }

  static Record record(const std::string& cell, int registers = 0) {
    Record record;
    record.cell = cell;
    record.resources.registers = registers;
    return record;
  }

  TemporaryDirectory directory_;
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
    EXPECT_THAT(error.what(),
                EndsWith("records.jsonl:2: not a JSON line: it is wrong from character 2 on"));
  }
}

TEST_F(RecordFile, MissingFileIsAUsageErrorWithItsName) {
  try {
    read_records(directory_.path() / "absent.jsonl");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("absent.jsonl"));
  }
}

}  // namespace
}  // namespace msda
