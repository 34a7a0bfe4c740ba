// `msda publish`, in a git checkout of its own.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <msda/error.hpp>

#include "files/read.hpp"
#include "render/formats.hpp"
#include "results/run_data.hpp"
#include "runner/publish/checkout.hpp"
#include "runner/publish/checks_page.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kCommit =
    "git -c user.name=a -c user.email=a@b.c -c commit.gpgsign=false commit -q --allow-empty ";

/// A checkout with one commit, and a run whose manifest names it.
class Publish : public testing::Test {
 protected:
  void SetUp() override {
    // One run for all tests, which change a copy.
    static const TemporaryDirectory whole;
    static const std::string original = run_with_claim(whole);
    run_ = outside_.path() / "run";
    std::filesystem::copy(original, run_, std::filesystem::copy_options::recursive);
    ASSERT_EQ(shell("git init -q . && echo x > file && git add file && " + std::string(kCommit) +
                    "-m one")
                  .exit_code,
              0);
    set_commit(head());
  }

  Outcome shell(const std::string& script) const { return run_script(script, checkout_.path()); }
  Outcome publish(const std::string& rest = "") const {
    return shell("\"$msda\" publish '" + run_ + "' " + rest);
  }
  std::string head() const {
    const std::string said = shell("git rev-parse --short HEAD").out;
    return said.substr(0, said.find('\n'));
  }
  void set_commit(const std::string& git_state) const {
    Manifest manifest = read_manifest(run_);
    manifest.git_state = git_state;
    write_manifest(run_, manifest);
  }
  std::filesystem::path result(const std::string& name) const {
    return checkout_.path() / "docs" / "results" / name;
  }

  TemporaryDirectory checkout_;
  TemporaryDirectory outside_;
  std::string run_;
};

TEST_F(Publish, WritesTheReportAndTheRunWithAllSamples) {
  const Outcome outcome = publish();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("claims.jsonl.zst: new, 3 cells"));
  EXPECT_THAT(outcome.out, HasSubstr("claims.md: new"));
  const std::string again = read_text(result("claims.md"));
  EXPECT_EQ(again, to_page(make_report(result("claims.jsonl.zst"))));
  EXPECT_THAT(again, HasSubstr("(commit " + head() + ")"));
  const RunData there = read_run(result("claims.jsonl.zst"));
  const RunData before = read_run(run_);
  ASSERT_EQ(there.records.size(), before.records.size());
  for (std::size_t i = 0; i < there.records.size(); ++i) {
    EXPECT_EQ(to_json(there.records[i])["samples"], to_json(before.records[i])["samples"]);
  }
}

TEST_F(Publish, NamesNoPlaceOfTheMachine) {
  ASSERT_EQ(publish().exit_code, 0);
  const RunData there = read_run(result("claims.jsonl.zst"));
  EXPECT_EQ(there.manifest.host_hash, "");
  EXPECT_THAT(to_json(there.manifest).dump(),
              Not(HasSubstr(std::filesystem::temp_directory_path().string() + "/")));
}

TEST_F(Publish, WritesWhatTheChecksOfExportsMeasuredAndTheirPage) {
  const std::string words =
      R"(echo '{"schema": 1, "gpu": "g", "driver": "d", "cuda": "c", "torch": "t", "transformers":
    "f", "date": "2026-01-31", "export": "msda export --for a", "asked": "", "checks": [], "commit": "COMMIT"}' > )";
  const auto publish_of = [&](const std::string& commit) {
    const std::string file = (outside_.path() / "a.json").string();
    const std::string write = std::string(words).replace(words.find("COMMIT"), 6, commit);
    return shell(write + "'" + file + "' && \"$msda\" publish '" + file + "'");
  };
  EXPECT_THAT(publish_of(head() + "-dirty").err, HasSubstr("had changes that no commit has"));
  EXPECT_THAT(publish_of("v0.1.0-3-g1234567").err, HasSubstr("is not in the history"));
  EXPECT_FALSE(std::filesystem::exists(result("export.md")));
  const Outcome outcome = publish_of(head());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("export.md: new"));
  EXPECT_EQ(read_text(result("export.md")), checks_page(read_checks({result("export.json")})));
  EXPECT_EQ(shell("echo y >> docs/results/export.md; echo y >> file; "
                  "\"$msda\" publish docs/results/export.json")
                .exit_code,
            0);
  EXPECT_EQ(read_text(result("export.md")), checks_page(read_checks({result("export.json")})));
}

TEST_F(Publish, RenewsWhatDocumentsQuote) {
  const std::string mark = "<!--= claims manifest.name-->";
  ASSERT_EQ(shell("echo 'of **an old run**" + mark + "' > README.md && git add . && " +
                  std::string(kCommit) + "-m two")
                .exit_code,
            0);
  const Outcome outcome = publish();
  EXPECT_THAT(outcome.out, HasSubstr("README.md: quotes renewed")) << outcome.err;
  EXPECT_EQ(read_text(checkout_.path() / "README.md"), "of **claims**" + mark + "\n");
}

TEST_F(Publish, AnotherFolderLeavesWhatDocumentsQuoteAsItIs) {
  const std::string quoted = "of **an old run**<!--= others manifest.name-->\n";
  ASSERT_EQ(shell("printf '%s' '" + quoted + "' > README.md && git add . && " +
                  std::string(kCommit) + "-m two")
                .exit_code,
            0);
  const Outcome outcome = publish("--to my-card");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(checkout_.path() / "my-card" / "claims.md"));
  EXPECT_EQ(read_text(checkout_.path() / "README.md"), quoted);
}

TEST_F(Publish, ASecondTimeSaysThatNothingChanged) {
  ASSERT_EQ(publish().exit_code, 0);
  const Outcome again = publish();
  EXPECT_THAT(again.out, HasSubstr("claims.jsonl.zst: the same"));
  EXPECT_THAT(again.out, HasSubstr("claims.md: the same"));
}

TEST_F(Publish, AnotherRunIsComparedWithTheOneBefore) {
  ASSERT_EQ(publish().exit_code, 0);
  std::vector<Record> records = read_records(std::filesystem::path(run_) / "records.jsonl");
  for (SampleBlock& block : records.at(1).samples) {
    for (double& seconds : block.seconds) seconds *= 10;
  }
  write_records(std::filesystem::path(run_) / "records.jsonl", records);
  const Outcome again = publish();
  EXPECT_THAT(again.out, HasSubstr("claims.jsonl.zst: changed"));
  EXPECT_THAT(again.out, HasSubstr("worse"));
}

TEST_F(Publish, AReportEditedByHandIsMadeAnewOfItsArchiveWhateverElseChanged) {
  ASSERT_EQ(publish().exit_code, 0);
  const std::string report = read_text(result("claims.md"));
  ASSERT_EQ(shell("echo better >> docs/results/claims.md && echo y >> file").exit_code, 0);
  const Outcome again = shell("\"$msda\" publish docs/results/claims.jsonl.zst");
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("claims.md: changed"));
  EXPECT_EQ(read_text(result("claims.md")), report);
}

TEST_F(Publish, AChangedTreeIsRefusedByTheFirstFile) {
  for (const std::string change : {"echo y >> file", "git checkout -q file && echo y > another"}) {
    ASSERT_EQ(shell(change).exit_code, 0);
    const Outcome outcome = publish();
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("has changes that no commit has"));
    EXPECT_FALSE(std::filesystem::exists(result("claims.md")));
  }
}

TEST_F(Publish, ARunOfSourcesThatHistoryDoesNotHaveIsRefused) {
  const auto refusal = [&](const std::string& git_state) {
    set_commit(git_state);
    const Outcome outcome = publish();
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.err;
  };
  EXPECT_THAT(refusal(head() + "-dirty"), HasSubstr("had changes that no commit has"));
  EXPECT_THAT(refusal("unknown"), HasSubstr("was not built in a git checkout"));
  EXPECT_THAT(refusal("v0.1.0-3-g1234567"), HasSubstr("commit 1234567 is not in the history"));
  ASSERT_EQ(shell("git checkout -q -b side && " + std::string(kCommit) + "-m two").exit_code, 0);
  const std::string side = head();
  ASSERT_EQ(shell("git checkout -q -").exit_code, 0);
  EXPECT_THAT(refusal(side), HasSubstr("is not in the history"));
}

TEST_F(Publish, ARunThatDidNotEndIsRefusedAndNothingIsWritten) {
  Manifest manifest = read_manifest(run_);
  manifest.status = run_status::kInterrupted;
  write_manifest(run_, manifest);
  EXPECT_THAT(publish().err, HasSubstr("the run is interrupted; only a whole run is published"));
  EXPECT_FALSE(std::filesystem::exists(result("claims.jsonl.zst")));
}

TEST_F(Publish, AShardIsNoWholeRun) {
  Manifest manifest = read_manifest(run_);
  manifest.shard = Shard{1, 3};
  write_manifest(run_, manifest);
  const Outcome outcome = publish();
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the run is shard 1/3; join all with 'msda merge'"));
  EXPECT_FALSE(std::filesystem::exists(result("claims.md")));
}

TEST_F(Publish, ANameThatLeavesTheFolderIsRefused) {
  Manifest manifest = read_manifest(run_);
  manifest.name = "../x";
  write_manifest(run_, manifest);
  EXPECT_THAT(publish().err, HasSubstr("'../x' is no name of a file"));
}

TEST_F(Publish, AnotherNameKeepsTheRunOfAnotherDeviceBesideThisOne) {
  ASSERT_EQ(publish().exit_code, 0);
  const std::string first = read_text(result("claims.jsonl.zst"));
  ASSERT_EQ(publish("--as claims-there").exit_code, 0);
  EXPECT_EQ(read_text(result("claims.jsonl.zst")), first);
  EXPECT_THAT(read_text(result("claims-there.md")), HasSubstr("# claims-there\n"));
  EXPECT_EQ(read_run(result("claims-there.jsonl.zst")).manifest.name, "claims-there");
  EXPECT_THAT(publish("'" + run_ + "' --as one").err, HasSubstr("--as names one run"));
  EXPECT_THAT(publish("--as ../x").err, HasSubstr("'../x' is no name of a file"));
  for (const std::string name : {"README", "export"}) {
    EXPECT_THAT(publish("--as " + name).err,
                HasSubstr("'" + name + "' is the name of another page of results"));
  }
}

TEST_F(Publish, ANameThatAnotherExperimentHasIsRefused) {
  ASSERT_EQ(publish().exit_code, 0);
  const std::string first = read_text(result("claims.jsonl.zst"));
  Manifest manifest = read_manifest(run_);
  manifest.name = "another";
  write_manifest(run_, manifest);
  EXPECT_EQ(publish("--as claims").exit_code, 0);
  const std::filesystem::path file = std::filesystem::path(run_) / "records.jsonl";
  std::vector<Record> records = read_records(file);
  for (Record& record : records) record.cell = "p/" + record.cell;
  write_records(file, records);
  const Outcome outcome = publish("--as claims");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("claims.jsonl.zst has another experiment"));
  EXPECT_EQ(read_text(result("claims.jsonl.zst")), first);
}

TEST_F(Publish, AFolderOutsideOfTheCheckoutTakesAReport) {
  const Outcome outcome = publish("--to '" + outside_.path().string() + "'");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(outside_.path() / "claims.md"));
}

TEST_F(Publish, OutsideOfACheckoutThereIsNoHistoryToHoldARunAgainst) {
  const Outcome outcome = run_script("\"$msda\" publish '" + run_ + "'", outside_.path());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("lies in no git checkout"));
}

TEST(CommitOf, IsTheHashOrTheTag) {
  EXPECT_EQ(commit_of("v0.1.0-12-gabc1234"), "abc1234");
  EXPECT_EQ(commit_of("abc1234"), "abc1234");
  EXPECT_EQ(commit_of("v0.1.0"), "v0.1.0");
  EXPECT_THROW(commit_of("abc1234-dirty"), UsageError);
  EXPECT_THROW(commit_of(""), UsageError);
}

TEST_F(Publish, AnArchiveIsWrittenAnewUnderAnotherName) {
  ASSERT_EQ(publish().exit_code, 0);
  const Outcome outcome = shell("\"$msda\" publish docs/results/claims.jsonl.zst --as other");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(read_run(result("other.jsonl.zst")).manifest.name, "other");
  EXPECT_TRUE(std::filesystem::exists(result("claims.jsonl.zst")));
}

}  // namespace
}  // namespace msda::test
