// Kernels behind a C entry: what they can do wrong costs their own cell, as a bad plugin does, and
// what an experiment says of them reaches them.
#include <fstream>
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "files/read.hpp"
#include "plugins/records.hpp"
#include "runner/experiment/experiment.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::HasSubstr;

GroupRequest request_of(std::vector<ArmEntry> arms) {
  GroupRequest request;
  request.experiment = "external";
  request.problem = tiny_problem();
  request.baseline = arms.front().name;
  request.measure.blocks = 3;
  request.measure.samples = 2;
  request.measure.warmup = 1;
  const Timeouts::Seconds limit(1);
  request.measure.timeouts = {limit, limit, limit, limit};
  request.arms = std::move(arms);
  return request;
}

struct BadLibrary {
  const char* what;
  const char* library;
  const char* symbol;
  const char* options;
  CellStatus status;
  const char* phase;   ///< where it ends
  const char* reason;  ///< a part of it
};

void PrintTo(const BadLibrary& bad, std::ostream* stream) { *stream << bad.what; }

class BadLibraryTest : public testing::TestWithParam<BadLibrary> {};

TEST_P(BadLibraryTest, EndsWithItsVerdictAndHarmsNoOther) {
  const BadLibrary& expected = GetParam();
  const auto library = external_library(expected.library);
  auto records =
      records_of(request_of({fixture_arm("first", "good"),
                             external_arm("bad", library, expected.symbol, expected.options),
                             external_arm("last", external_library("external"))}));
  const Record& bad = records.at("bad");
  EXPECT_EQ(bad.status, expected.status) << bad.reason;
  EXPECT_EQ(bad.phase, expected.phase) << bad.reason;
  EXPECT_THAT(bad.reason, HasSubstr(expected.reason));
  EXPECT_TRUE(bad.status == CellStatus::kHung || bad.status == CellStatus::kCrashed ||
              bad.samples.empty());
  for (const char* good : {"first", "last"}) {
    const Record& record = records.at(good);
    EXPECT_EQ(record.status, CellStatus::kOk) << record.reason;
    EXPECT_EQ(record.samples.size(), 3U);
    EXPECT_LT(record.worst_output().relative_l2, 1e-5);
  }
}

constexpr const char* kEntry = "msda_forward";

/// Two launches verify an arm, one warms it up: after three good ones it is being timed.
constexpr BadLibrary kBadLibraries[] = {
    {"missing", "nowhere", kEntry, "", CellStatus::kSkipped, "check", "there is no library"},
    {"no_symbol", "external", "forwards", "", CellStatus::kFailed, "prepare", "no symbol forwards"},
    {"other_abi", "external", "other_abi", "", CellStatus::kFailed, "prepare",
     "other_abi is for ABI 2, this program has ABI 1"},
    {"unresolved", "external_unresolved", kEntry, "", CellStatus::kFailed, "prepare",
     "undefined symbol: nobody_has_this"},
    {"ends_when_loaded", "external_ends", kEntry, "", CellStatus::kCrashed, "prepare",
     "exit code 5"},
    {"refuses", "external", kEntry, "refuse", CellStatus::kSkipped, "prepare", "it takes nothing"},
    {"query_error", "external", kEntry, "query-error", CellStatus::kFailed, "prepare",
     "msda_forward_query returned 3: as it was told"},
    {"query_hangs", "external", kEntry, "query-hang", CellStatus::kHung, "prepare",
     "no sign of life for 1 s; killed"},
    {"prepare_error", "external", "packed", "fail", CellStatus::kFailed, "prepare",
     "packed_prepare returned 9"},
    {"error", "external", kEntry, "error", CellStatus::kFailed, "verify",
     "msda_forward returned 3: as it was told"},
    {"unknown_error", "external", kEntry, "unknown-error", CellStatus::kFailed, "verify",
     "msda_forward returned -5"},
    {"error_while_timed", "external", kEntry, "error 3", CellStatus::kFailed, "measure",
     "msda_forward returned 3"},
    {"hangs", "external", kEntry, "hang", CellStatus::kHung, "verify", "no sign of life"},
    {"spins_while_timed", "external", kEntry, "spin 3", CellStatus::kHung, "measure",
     "no sign of life"},
    {"crashes", "external", kEntry, "crash", CellStatus::kCrashed, "verify", "signal SIGABRT"},
    {"exits", "external", kEntry, "exit", CellStatus::kCrashed, "verify", "exit code 7"},
    {"writes_far", "external", kEntry, "write-far", CellStatus::kCrashed, "verify",
     "ended with signal SIG"},  // SEGV or BUS, as what lies there is mapped
    {"shouts", "external", kEntry, "shout 3", CellStatus::kCrashed, "measure",
     "it wrote to the pipe of its worker"},
    {"leaves_descriptors", "external", kEntry, "leave-descriptors", CellStatus::kFailed, "verify",
     "file descriptors open"},
    {"writes_beside", "external", kEntry, "write-beside", CellStatus::kWrong, "verify",
     "4 bytes beside the output were written"},
    {"unwritten", "external", kEntry, "unwritten", CellStatus::kWrong, "verify", "not written"},
    {"unwritten_while_timed", "external", kEntry, "unwritten 3", CellStatus::kWrong, "measure",
     "is not that of its inputs"},
    {"wrong", "external", kEntry, "wrong", CellStatus::kWrong, "verify", "relative L2 error"},
    {"noise", "external", kEntry, "noise", CellStatus::kWrong, "verify", "gave other bits"},
};

INSTANTIATE_TEST_SUITE_P(OnTheCpu, BadLibraryTest, testing::ValuesIn(kBadLibraries),
                         [](const auto& info) { return std::string(info.param.what); });

TEST(External, AFileThatIsNoLibraryFails) {
  const TemporaryDirectory directory;
  const auto file = directory.write("text.so", "not a library\n");
  const auto folder = directory.path() / "";
  auto records =
      records_of(request_of({external_arm("text", file), external_arm("folder", folder)}));
  for (const std::string name : {"text", "folder"}) {
    EXPECT_EQ(records.at(name).status, CellStatus::kFailed);
    EXPECT_THAT(records.at(name).reason,
                HasSubstr(fmt::format("external library {}: not a loadable shared library",
                                      name == "text" ? "text.so" : folder.string())));
  }
}

/// Whether a process of that name runs.
bool is_running(const std::string& name) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    if (read_text_if_there(entry.path() / "comm").value_or("") == name + "\n") return true;
  }
  return false;
}

TEST(External, WhatAnArmLeavesInASessionOfItsOwnEndsWithTheWorker) {
  const auto arm = external_arm("bad", external_library("external"), kEntry, "leave-child 4");
  records_of(request_of({fixture_arm("first", "good"), arm}));
  EXPECT_FALSE(is_running("msda-left-over"));
}

TEST(External, WhatAnArmChangesOfItsProcessIsPutBack) {
  const auto records = records_of(
      request_of({fixture_arm("first", "good"),
                  external_arm("bad", external_library("external"), kEntry, "leave-state"),
                  external_arm("last", external_library("external"))}));
  for (const char* good : {"first", "last"}) {
    EXPECT_EQ(records.at(good).status, CellStatus::kOk) << records.at(good).reason;
    EXPECT_EQ(records.at(good).processes.front().process, 0) << good;
  }
}

TEST(External, TheEntryAloneIsEnough) {
  auto records =
      records_of(request_of({external_arm("bare", external_library("external"), "bare")}));
  const Record& record = records.at("bare");
  EXPECT_EQ(record.status, CellStatus::kOk) << record.reason;
  EXPECT_TRUE(record.parts.empty());
}

TEST(External, PreparedInputsAreOutsideOfTheTimeAndShownApart) {
  auto records =
      records_of(request_of({external_arm("packed", external_library("external"), "packed")}));
  const Record& record = records.at("packed");
  ASSERT_EQ(record.status, CellStatus::kOk) << record.reason;
  ASSERT_EQ(record.parts.size(), 2U);
  EXPECT_EQ(record.parts[0].name, "prepare");
  EXPECT_TRUE(record.parts[0].outside);
  EXPECT_EQ(record.parts[1].name, "kernel");
  EXPECT_FALSE(record.parts[1].outside);
  EXPECT_EQ(record.parts[0].samples.size(), 3U);
}

TEST(External, ALibraryMayRefuseTheProblemsTypes) {
  GroupRequest request = request_of({external_arm("fp32-only", external_library("external"))});
  request.problem.problem.types = Types::all(DType::kFloat16);
  const Record record = records_of(request).at("fp32-only");
  EXPECT_EQ(record.status, CellStatus::kSkipped);
  EXPECT_EQ(record.reason, "it takes fp32 alone");
}

/// An experiment file in a directory of its own, beside a copy of the library.
class ExternalFileTest : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& arms) const {
    return directory_.write("mine.yaml",
                            "problems: [{name: tiny, batch: 1, queries: 5, heads: 2, "
                            "channels: 8, points: 2, levels: [[4, 5], [2, 3]]}]\n"
                            "device: cpu\n"
                            "measure: {blocks: 2, samples: 1, processes: 1}\n"
                            "arms:\n" +
                                arms);
  }
  void copy_library() const {
    std::filesystem::copy_file(external_library("external"), directory_.path() / "libmine.so");
  }
  Outcome run_file(const std::filesystem::path& file) const {
    return run({"run", file.string(), "--output", (directory_.path() / "results").string()});
  }
  std::string message_of(const std::string& arms) const {
    try {
      load_experiment(write(arms), fixture_registry());
    } catch (const UsageError& error) {
      return error.what();
    }
    return "no error";
  }

  TemporaryDirectory directory_;
};

TEST_F(ExternalFileTest, NamesALibraryBesideItself) {
  const auto file = write("  - {name: mine, external: {library: libmine.so, symbol: bare}}\n");
  const Experiment experiment = load_experiment(file, fixture_registry());
  const Use& use = experiment.arms.at(0).uses.at(0);
  EXPECT_EQ(use.variant, "external");
  EXPECT_EQ(use.parameters.at("library"),
            ParameterValue((directory_.path() / "libmine.so").string()));
  const Composition composition(fixture_registry(), experiment.arms.at(0).uses);
  EXPECT_THAT(composition.describe(), HasSubstr("library=libmine.so,"));
  EXPECT_TRUE(composition.runs_on(DeviceKind::kCpu));
  EXPECT_TRUE(composition.runs_on(DeviceKind::kCuda));
  EXPECT_FALSE(composition.runs_on(DeviceKind::kSimt));
}

TEST_F(ExternalFileTest, DeclaresWhatItRounds) {
  const Composition composition(fixture_registry(), {{"external",
                                                      {{"coordinates", std::string("fp16")},
                                                       {"normalized", std::string("fp32")},
                                                       {"sums", std::string("bf16")}}}});
  const Arithmetic arithmetic = composition.arithmetic(tiny_problem().problem);
  EXPECT_EQ(arithmetic.coordinates.to, kFp16);
  EXPECT_EQ(arithmetic.normalized.to, kFp32);
  EXPECT_EQ(arithmetic.sums.to, kBf16);
  EXPECT_EQ(arithmetic.weights, Arithmetic{}.weights);
}

TEST_F(ExternalFileTest, RecipesMayHoldOneToo) {
  const auto file = directory_.write(
      "recipes.yaml", "recipes: {mine: [{external: {library: libmine.so, device: cuda}}]}\n");
  const Recipes recipes = load_recipes(file, fixture_registry());
  const Composition composition(fixture_registry(), usable(recipes.at("mine")));
  EXPECT_FALSE(composition.runs_on(DeviceKind::kCpu));
}

TEST_F(ExternalFileTest, IsVerifiedTimedAndKnownByItsHash) {
  copy_library();
  const auto file = write(
      "  - {name: mine, external: {library: libmine.so, signature: msda-c-1}}\n"
      "  - {name: refused, external: {library: libmine.so, weights: fp16, options: refuse}}\n"
      "  - {name: gone, external: {library: libother.so}}\n");
  const Outcome outcome = run_file(file);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto manifest =
      nlohmann::json::parse(read_text(directory_.path() / "results" / "manifest.json"));
  ASSERT_EQ(manifest.at("files").size(), 2U);
  EXPECT_EQ(manifest.at("files").at(0).at("file"), "libmine.so");
  EXPECT_EQ(manifest.at("files").at(0).at("hash").get<std::string>().size(), 32U);
  EXPECT_EQ(manifest.at("files").at(1).at("hash"), "");
  std::map<std::string, Record> records;
  for (const Record& record : read_records(directory_.path() / "results" / "records.jsonl")) {
    records[record.arm] = record;
  }
  EXPECT_EQ(records.at("mine").status, CellStatus::kOk) << records.at("mine").reason;
  EXPECT_EQ(records.at("refused").status, CellStatus::kSkipped);
  EXPECT_EQ(records.at("gone").status, CellStatus::kSkipped);
  EXPECT_THAT(records.at("gone").reason, HasSubstr("libother.so"));
}

TEST_F(ExternalFileTest, AChangedLibraryIsAnotherRun) {
  copy_library();
  const auto file = write("  - {name: mine, external: {library: libmine.so}}\n");
  ASSERT_EQ(run_file(file).exit_code, 0);
  std::ofstream(directory_.path() / "libmine.so", std::ios::app) << "changed";
  const Outcome outcome =
      run({"run", file.string(), "--resume", (directory_.path() / "results").string()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("files that arms or problems name"));
}

TEST_F(ExternalFileTest, ALibraryReplacedInTheMiddleStopsTheRunUntilItIsPutBack) {
  copy_library();
  directory_.write("x.yaml",
                   "device: cpu\n"
                   "problems: [{name: p, batch: 1, queries: 5, heads: 2, channels: 8, points: 2, "
                   "levels: [[4, 5]]}]\n"
                   "arms: [{name: mine, external: {library: libmine.so}}]\n"
                   "measure: {processes: 30, most_processes: 30, blocks: 1, samples: 1, "
                   "noise_pair: false}\n");
  const Outcome outcome = run_script(
      "\"$msda\" run x.yaml --output results & run=$!\n"
      "until [ -s results/records.jsonl ]; do sleep 0.02; done\n"
      "cp libmine.so kept.so; cp libmine.so other.so; echo changed >> other.so\n"
      "mv other.so libmine.so; wait $run",
      directory_.path());
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("libmine.so has changed since the run began"));
  const auto results = directory_.path() / "results";
  const auto manifest = nlohmann::json::parse(read_text(results / "manifest.json"));
  EXPECT_EQ(manifest.at("status"), "stopped");
  EXPECT_THAT(manifest.at("stopped_because").get<std::string>(), HasSubstr("libmine.so"));
  const std::string file = (directory_.path() / "x.yaml").string();
  EXPECT_EQ(run({"run", file, "--resume", results.string()}).exit_code, 2);
  std::filesystem::rename(directory_.path() / "kept.so", directory_.path() / "libmine.so");
  const Outcome resumed = run({"run", file, "--resume", results.string()});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
}

TEST_F(ExternalFileTest, ShowListsItsParameters) {
  const Outcome outcome = run({"show", "external"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("(kernel on cpu or cuda)"));
  EXPECT_THAT(outcome.out, HasSubstr("signature: "));
}

TEST_F(ExternalFileTest, BenchTakesOneFromTheCommandLine) {
  const Outcome outcome =
      run({"bench", "external", "library=" + external_library("external").string(), "symbol=bare",
           "--device", "cpu", "levels=4x5,2x3", "channels=8", "blocks=1", "samples=1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
}

TEST_F(ExternalFileTest, MistakesHavePlaces) {
  EXPECT_THAT(message_of("  - {name: mine, external: {symbol: bare}}\n"),
              HasSubstr("mine.yaml:5:28: an external arm has either 'library' or 'python'"));
  EXPECT_THAT(message_of("  - {name: mine, external: {library: ''}}\n"),
              HasSubstr("mine.yaml:5:38: 'library' must be the name of a file"));
  EXPECT_THAT(message_of("  - {name: mine, external: {library: a.so, symbl: b}}\n"),
              HasSubstr("(did you mean 'symbol'?)"));
  EXPECT_THAT(message_of("  - {name: mine, external: {library: a.so, signature: c}}\n"),
              HasSubstr("msda-c-1"));
  EXPECT_THAT(message_of("  - {name: mine, use: [fixture], external: {library: a.so}}\n"),
              HasSubstr("mine.yaml:5:5: an arm has either 'use' or 'external'"));
}

}  // namespace
}  // namespace msda::test
