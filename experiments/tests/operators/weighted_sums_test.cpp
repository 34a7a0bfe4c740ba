// An operator is a folder: a program with the operator of this folder beside its own generates its
// inputs, verifies, times, records and reports it, and takes it as an external kernel. No file
// outside this folder names the operator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "files/read.hpp"
#include "operators/operator.hpp"
#include "results/record.hpp"
#include "support/files.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// Arms "right", "any-order" and those that go wrong.
std::string experiment_text() {
  const auto arm = [](const char* name, const char* options, const char* more) {
    return fmt::format(
        "  - {{name: {}, external: {{library: {}, symbol: weighted_sums, signature: msda-c-2,\n"
        "      operator: weighted-sums, device: cpu, options: {}{}}}}}\n",
        name, MSDA_WEIGHTED_SUMS, options, more);
  };
  return "name: sums\ndevice: cpu\nproblems:\n"
         "  - {name: small, operator: weighted-sums, batch: 2, queries: 60, heads: 3, channels: "
         "8,\n"
         "     points: 1, levels: [[2, 3]]}\narms:\n" +
         arm("right", "''", "") + arm("any-order", "any order", ", deterministic: false") +
         arm("wrong-in-the-end", "\"any order, wrong in the end\"", ", deterministic: false") +
         arm("says-it-repeats", "any order", "") + arm("never-cleared", "never cleared", "") +
         arm("lost", "a sum is lost", "") +
         "baseline: right\n"
         "measure: {modes: [warm], processes: 1, most_processes: 1, blocks: 4, samples: 3}\n";
}

/// Runs the program that has the operator, in `directory`.
Outcome msda_with_sums(const std::string& words, const std::filesystem::path& directory) {
  return run_script(fmt::format("'{}' {}", MSDA_WEIGHTED_SUMS_PROGRAM, words), directory);
}
Outcome with_plugins(const std::string& words, const std::filesystem::path& directory) {
  return msda_with_sums(fmt::format("{} --plugin-dir '{}'", words, MSDA_WEIGHTED_SUMS_PLUGINS),
                        directory);
}

class WeightedSumsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new TemporaryDirectory;
    write_text(directory_->path() / "sums.yaml", experiment_text());
    const Outcome run = msda_with_sums("run sums.yaml --output results", directory_->path());
    EXPECT_EQ(run.exit_code, 1) << run.err;  // some arms are wrong
    for (Record& record : read_records(directory_->path() / "results" / "records.jsonl")) {
      (*records_)[record.arm] = std::move(record);
    }
  }
  static void TearDownTestSuite() { delete directory_; }

  static const Record& record(const std::string& arm) { return records_->at(arm); }

  static TemporaryDirectory* directory_;
  static std::map<std::string, Record>* records_;
};
TemporaryDirectory* WeightedSumsTest::directory_ = nullptr;
std::map<std::string, Record>* WeightedSumsTest::records_ = new std::map<std::string, Record>;

TEST_F(WeightedSumsTest, EveryOutputIsVerifiedTimedAndRecorded) {
  const Record& right = record("right");
  ASSERT_EQ(right.status, CellStatus::kOk) << right.reason;
  EXPECT_EQ(right.op, "weighted-sums");
  EXPECT_FALSE(right.samples.empty());
  ASSERT_EQ(right.outputs.size(), 2U);
  EXPECT_EQ(right.outputs[0].name, "scaled");
  EXPECT_EQ(right.outputs[1].name, "sums");
  for (const OutputError& output : right.outputs) {
    EXPECT_GT(output.tolerance, 0);
    EXPECT_LE(output.relative_l2, output.tolerance);
    EXPECT_EQ(output.spread, 0);
  }
  EXPECT_EQ(right.traffic.accumulated, 2 * 3 * 8 * 4);
  EXPECT_EQ(right.traffic.flops, 2 * 2 * 60 * 3 * 8);
}

TEST_F(WeightedSumsTest, AnOutputWhoseBitsDifferFromRunToRunHasItsSpread) {
  const Record& any = record("any-order");
  ASSERT_EQ(any.status, CellStatus::kOk) << any.reason;
  EXPECT_EQ(any.outputs.at(0).spread, 0);
  EXPECT_GT(any.outputs.at(1).spread, 0);
  EXPECT_LT(any.outputs.at(1).spread, 1e-5);
}

TEST_F(WeightedSumsTest, AnOutputWithoutBitsOfItsOwnIsJudgedByItsErrorsAfterEachBlock) {
  EXPECT_EQ(record("wrong-in-the-end").status, CellStatus::kWrong);
  EXPECT_THAT(record("wrong-in-the-end").reason,
              AllOf(StartsWith("what was timed: "), HasSubstr(" sums")));
}

TEST_F(WeightedSumsTest, BitsThatDifferAreWrongWhereTheArmSaysThatTheyDoNot) {
  EXPECT_EQ(record("says-it-repeats").status, CellStatus::kWrong);
  EXPECT_THAT(record("says-it-repeats").reason, HasSubstr("other bits"));
}

TEST_F(WeightedSumsTest, AnOutputThatIsNeverClearedIsWrong) {
  EXPECT_EQ(record("never-cleared").status, CellStatus::kWrong);
  EXPECT_THAT(record("never-cleared").reason, HasSubstr("sums"));
}

TEST_F(WeightedSumsTest, TheOutputAndThePlaceOfAnErrorAreNamed) {
  EXPECT_EQ(record("lost").status, CellStatus::kWrong);
  EXPECT_THAT(record("lost").reason, HasSubstr("sums: "));
  EXPECT_THAT(record("lost").reason, HasSubstr("(b 0, h 2, c 7)"));
}

TEST_F(WeightedSumsTest, TheReportHasItsArmsAndWhatItsOperationsAre) {
  const Outcome report = msda_with_sums("report results", directory_->path());
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_THAT(read_text(directory_->path() / "results" / "report.md"), HasSubstr("any-order"));
}

TEST_F(WeightedSumsTest, AnArmOfAnotherOperatorIsAMistakeWithAMessage) {
  write_text(directory_->path() / "mixed.yaml",
             "name: mixed\ndevice: cpu\nproblems:\n  - {name: small, operator: weighted-sums, "
             "queries: 6, levels: [[2, 3]]}\narms: [cpu-scalar]\n");
  const Outcome run = msda_with_sums("run mixed.yaml", directory_->path());
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("computes the operator 'forward'"));
}

TEST_F(WeightedSumsTest, ItsSkeletonIsRightOnTheDeviceSimt) {
  const Outcome verified =
      with_plugins("verify wide-blocks sums-apart --operator weighted-sums --device simt:1:races",
                   directory_->path());
  EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("wide-blocks  relative L2"));
  EXPECT_THAT(verified.out, HasSubstr("sums-apart   relative L2"));
}

TEST_F(WeightedSumsTest, APassAfterTheKernelConvertsSumsToAnyType) {
  const Outcome verified = with_plugins(
      "verify sums-apart --operator weighted-sums --dtype fp16 --device simt", directory_->path());
  EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
}

TEST_F(WeightedSumsTest, AnOutputThatAPlanCallsOverwrittenAndNoKernelWritesIsFound) {
  write_text(directory_->path() / "recipes.yaml",
             "recipes:\n  forgetful: [{sums-apart: {convert: false}}]\n");
  const Outcome verified =
      with_plugins("verify forgetful --recipes recipes.yaml --operator weighted-sums --device simt",
                   directory_->path());
  EXPECT_EQ(verified.exit_code, 1);
  EXPECT_THAT(verified.out, HasSubstr("sums: "));
  EXPECT_THAT(verified.out, HasSubstr("not written"));
}

TEST_F(WeightedSumsTest, ItsSlotsAndPassesAreCounted) {
  const Outcome shown = with_plugins(
      "verify sums-apart --evidence --operator weighted-sums --device simt", directory_->path());
  EXPECT_EQ(shown.exit_code, 0) << shown.out << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("postpass.workspace.sums.loads"));
}

TEST_F(WeightedSumsTest, ItsKernelsCompileForGpus) {
  const Outcome inspected = with_plugins("inspect sums-apart --source", directory_->path());
  EXPECT_EQ(inspected.exit_code, 0) << inspected.out << inspected.err;
  EXPECT_THAT(inspected.out, HasSubstr("weighted_sums/skeleton.cuh"));
}

TEST_F(WeightedSumsTest, ItIsListedWithItsSlotsAndItsVariants) {
  const Outcome families = with_plugins("list --operators", directory_->path());
  EXPECT_THAT(families.out, HasSubstr("rows times scales, and their sums\n"));
  EXPECT_THAT(families.out, testing::ContainsRegex("scaled-rows +sums, block\n"));
  const Outcome variants = with_plugins("list --operator weighted-sums", directory_->path());
  EXPECT_THAT(variants.out, HasSubstr("wide-blocks"));
  EXPECT_THAT(variants.out, testing::Not(HasSubstr("cpu-scalar")));
  EXPECT_THAT(with_plugins("show weighted-sums", directory_->path()).out,
              HasSubstr("output sums [B, H, C], accumulated\n"));
}

TEST_F(WeightedSumsTest, ItsInputsAreWrittenAsFilesAndReadAgain) {
  const Outcome made = msda_with_sums(
      "input generate operator=weighted-sums levels=2x3 num_query=5 --output tensors",
      directory_->path());
  ASSERT_EQ(made.exit_code, 0) << made.err;
  for (const char* file : {"rows.npy", "scales.npy"}) {
    EXPECT_TRUE(std::filesystem::exists(directory_->path() / "tensors" / file)) << file;
  }
}

}  // namespace
}  // namespace msda::test
