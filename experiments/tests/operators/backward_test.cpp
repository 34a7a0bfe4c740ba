// The operator `backward` in experiments: kernels of the tree and of a C library, outputs that are
// asked for, records, reports, inputs from files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "files/read.hpp"
#include "results/record.hpp"
#include "support/files.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::HasSubstr;

/// Arms of the tree, of the library, and those that go wrong; two problems.
std::string experiment_text() {
  const auto arm = [](const char* name, const char* options, const char* more = "") {
    return fmt::format(
        "  - {{name: {}, external: {{library: {}, symbol: gradients, signature: msda-c-2,\n"
        "      operator: backward, device: cpu, options: {}{}}}}}\n",
        name, MSDA_GRADIENTS, options, more);
  };
  const std::string sizes =
      "operator: backward, batch: 2, queries: 60, heads: 3, channels: 8,\n"
      "     points: 2, levels: [[6, 9], [3, 4]]";
  return "name: gradients\ndevice: cpu\nproblems:\n  - {name: all, " + sizes +
         "}\n  - {name: frozen, " + sizes +
         ",\n     outputs: [grad_sampling_locations, grad_attention_weights]}\n"
         "  - {name: knots, distribution: border, " +
         sizes + "}\narms:\n" + "  - cpu-backward-scalar\n  - cpu-backward-threads\n" +
         arm("right", "''") + arm("any-order", "any order", ", deterministic: false") +
         arm("says-it-repeats", "any order") + arm("never-cleared", "never cleared") +
         arm("cheat", "only at first") + arm("wrong-value", "weights alone") +
         arm("infinite", "infinite", ", sums: fp16") + arm("wrong-locations", "no factor") +
         arm("wrong-weights", "a weight is lost") +
         "baseline: right\n"
         "measure: {modes: [warm], processes: 1, most_processes: 1, blocks: 4, samples: 3}\n";
}

class BackwardTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new TemporaryDirectory;
    write_text(directory_->path() / "gradients.yaml", experiment_text());
    const Outcome run = msda("run gradients.yaml --output results");
    EXPECT_EQ(run.exit_code, 1) << run.err;  // some arms are wrong
    for (Record& record : read_records(directory_->path() / "results" / "records.jsonl")) {
      (*records_)[record.problem + "/" + record.arm] = std::move(record);
    }
  }
  static void TearDownTestSuite() { delete directory_; }

  static const Record& record(const std::string& name) { return records_->at(name); }
  static Outcome script(const std::string& text) { return run_script(text, directory_->path()); }
  static Outcome msda(const std::string& words) { return script("\"$msda\" " + words); }

  static TemporaryDirectory* directory_;
  static std::map<std::string, Record>* records_;
};
TemporaryDirectory* BackwardTest::directory_ = nullptr;
std::map<std::string, Record>* BackwardTest::records_ = new std::map<std::string, Record>;

TEST_F(BackwardTest, EveryOutputOfEveryRightKernelIsVerifiedAndTimed) {
  for (const char* arm : {"cpu-backward-scalar", "cpu-backward-threads", "right"}) {
    const Record& right = record(std::string("all/") + arm);
    ASSERT_EQ(right.status, CellStatus::kOk) << right.reason;
    EXPECT_EQ(right.op, "backward");
    EXPECT_FALSE(right.samples.empty());
    ASSERT_EQ(right.outputs.size(), 3U);
    for (const OutputError& output : right.outputs) {
      EXPECT_GT(output.relative_l2, 0);
      EXPECT_LE(output.relative_l2, output.tolerance);
      EXPECT_EQ(output.spread, 0);
      EXPECT_EQ(output.on_knots, 0) << output.name;
    }
    EXPECT_EQ(right.traffic.accumulated, 2 * 66 * 3 * 8 * 4);
  }
}

TEST_F(BackwardTest, AMistakeIsFoundInTheOutputThatHasIt) {
  const std::pair<const char*, const char*> kWrong[] = {
      {"wrong-value", "grad_value: "},
      {"wrong-locations", "grad_sampling_locations: "},
      {"wrong-weights", "(b 1, q 59, h 2, l 1, p 1)"},
      {"never-cleared", "grad_value"}};
  for (const auto& [arm, where] : kWrong) {
    EXPECT_EQ(record(std::string("all/") + arm).status, CellStatus::kWrong) << arm;
    EXPECT_THAT(record(std::string("all/") + arm).reason, HasSubstr(where));
  }
}

TEST_F(BackwardTest, AnInfiniteSumOfHalvesIsCalledAnOverflow) {
  EXPECT_EQ(record("all/infinite").status, CellStatus::kWrong);
  EXPECT_THAT(
      record("all/infinite").reason,
      HasSubstr("1 of 3168 grad_value elements are infinite: overflow of half sums; element "
                "(b 0, s 0, h 0, c 7) is inf"));
}

TEST_F(BackwardTest, AKernelThatLeavesItsWorkOutIsCaught) {
  EXPECT_EQ(record("all/cheat").status, CellStatus::kWrong);
}

TEST_F(BackwardTest, OnlyASumMayDifferFromRunToRun) {
  const Record& any = record("all/any-order");
  ASSERT_EQ(any.status, CellStatus::kOk) << any.reason;
  EXPECT_GT(any.outputs.at(0).spread, 0);
  EXPECT_EQ(any.outputs.at(1).spread, 0);
  EXPECT_EQ(any.outputs.at(2).spread, 0);
  EXPECT_THAT(record("all/says-it-repeats").reason, HasSubstr("other bits"));
}

/// The C library computes coordinates in double, others in float32: both may be right.
TEST_F(BackwardTest, ElementsBesideKnotsAreCounted) {
  for (const char* arm : {"cpu-backward-threads", "right"}) {
    const Record& knots = record(std::string("knots/") + arm);
    ASSERT_EQ(knots.status, CellStatus::kOk) << knots.reason;
    EXPECT_EQ(knots.outputs.at(0).on_knots, 0);
    EXPECT_GT(knots.outputs.at(1).on_knots, 100);
    EXPECT_EQ(knots.outputs.at(2).on_knots, 0);
  }
  EXPECT_THAT(msda("report results").out, HasSubstr("two right results"));
  EXPECT_EQ(record("knots/wrong-locations").status, CellStatus::kWrong);
}

/// A frozen backbone needs no gradient of the values.
TEST_F(BackwardTest, OutputsThatNobodyAsksForAreNeitherJudgedNorCounted) {
  for (const char* arm :
       {"cpu-backward-scalar", "cpu-backward-threads", "right", "wrong-value", "never-cleared"}) {
    const Record& frozen = record(std::string("frozen/") + arm);
    ASSERT_EQ(frozen.status, CellStatus::kOk) << frozen.reason;
    ASSERT_EQ(frozen.outputs.size(), 2U);
    EXPECT_EQ(frozen.outputs[0].name, "grad_sampling_locations");
    EXPECT_EQ(frozen.outputs[1].name, "grad_attention_weights");
    EXPECT_EQ(frozen.traffic.accumulated, 0);
    EXPECT_EQ(frozen.traffic.scattered, 0);
  }
  EXPECT_EQ(record("frozen/wrong-locations").status, CellStatus::kWrong);
}

TEST_F(BackwardTest, TheReportHasItsArmsAndSpreads) {
  const Outcome report = msda("report results");
  EXPECT_EQ(report.exit_code, 0) << report.err;
  const std::string text = read_text(directory_->path() / "results" / "report.md");
  EXPECT_THAT(text, HasSubstr("cpu-backward-threads"));
  EXPECT_THAT(text, HasSubstr("spread"));
  // An error of each output of each arm.
  EXPECT_THAT(text, HasSubstr("| right | all, warm | grad\\_sampling\\_locations |"));
}

TEST_F(BackwardTest, ARunGoesOnWithTheOutputsThatItBeganWith) {
  const std::string before = read_text(directory_->path() / "results" / "records.jsonl");
  const Outcome again = msda("run gradients.yaml --resume results");
  EXPECT_EQ(again.exit_code, 1) << again.err;
  EXPECT_EQ(read_text(directory_->path() / "results" / "records.jsonl"), before);
}

TEST_F(BackwardTest, TheGradientsThatCameWithAnInputAreComparedWith) {
  const std::string input = "'" MSDA_SOURCE_DIR "/experiments/inputs/captured_decoder'";
  const Outcome verify =
      msda("verify cpu-backward-threads --operator backward --device cpu --input " + input);
  EXPECT_EQ(verify.exit_code, 0) << verify.out << verify.err;
  EXPECT_THAT(verify.out, HasSubstr("against the input's own output"));
}

TEST_F(BackwardTest, AnInputWithOtherGradientsIsRefusedOrWrong) {
  const std::string input = "'" MSDA_SOURCE_DIR "/experiments/inputs/captured_decoder'";
  const std::string verify =
      "verify cpu-backward-threads --operator backward --device cpu --input copy";
  script("cp -r " + input + " copy && chmod -R u+w copy");
  script("cp copy/attention_weights.npy copy/grad_attention_weights.npy");
  const Outcome wrong = msda(verify);
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.out, HasSubstr("grad_attention_weights that came with the input"));
  script("rm copy/grad_output.npy");
  EXPECT_THAT(msda(verify).err, HasSubstr("grad_output.npy"));
}

TEST_F(BackwardTest, AllKernelsOfTheOperatorAreVerifiedAndThoseOfOthersSkipped) {
  const Outcome all = msda("verify all --operator backward --device cpu --dtype fp16");
  EXPECT_EQ(all.exit_code, 0) << all.out << all.err;
  EXPECT_THAT(all.out, testing::ContainsRegex("cpu-backward-scalar +relative L2 grad_value "
                                              "[0-9.e-]+ \\(tolerance [0-9.e-]+\\), grad_samp"));
  EXPECT_THAT(all.out, HasSubstr("it computes the operator 'forward'"));
}

TEST_F(BackwardTest, ItsInputsAreWrittenAsFiles) {
  const Outcome made = msda(
      "input generate operator=backward preset=rtdetr-decoder batch=1 dtype=fp16 --output tensors "
      "&& ls tensors");
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("grad_output.npy"));
}

TEST_F(BackwardTest, AMistakeInTheOutputsIsToldWithItsPlace) {
  const auto error_of = [&](const std::string& outputs) {
    write_text(directory_->path() / "mistake.yaml",
               "name: mistake\ndevice: cpu\nproblems:\n  - {preset: rtdetr-decoder, operator: "
               "backward, outputs: " +
                   outputs + "}\narms: [cpu-backward-scalar]\n");
    return msda("plan mistake.yaml").err;
  };
  EXPECT_THAT(error_of("[grad_valu]"), HasSubstr("grad_value"));
  EXPECT_THAT(error_of("[]"), HasSubstr("at least one output"));
  EXPECT_THAT(error_of("[output]"), HasSubstr("mistake.yaml:4"));
  EXPECT_EQ(error_of("'grad_value,grad_attention_weights'"), "");
}

}  // namespace
}  // namespace msda::test
