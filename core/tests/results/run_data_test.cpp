#include "results/run_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <msda/error.hpp>
#include <nlohmann/json.hpp>

#include "files/compressed.hpp"
#include "files/temporary_directory.hpp"
#include "files/write.hpp"

namespace msda {
namespace {

using nlohmann::json;
using testing::HasSubstr;

RunData whole_run() {
  RunData run;
  run.manifest.schema = kManifestSchema;
  run.manifest.name = "x";
  run.manifest.host_hash = "0123456789abcdef0123456789abcdef";
  run.manifest.command_line = {"/home/me/msda", "run", "/home/me/x.yaml"};
  Record record;
  record.cell = "p/a/warm";
  record.reason = "cannot open /home/me/lib/peer.so: no such file";
  record.samples = {{0, 1, {1e-3, 2.5000000000000001e-3}, {}}};
  run.records = {record};
  run.trials = {{.problem = "p", .number = 3, .stage = "screen", .candidates = {}}};
  run.counters = {{.problem = "p",
                   .arm = "a",
                   .mode = "warm",
                   .part = kMainPart,
                   .kernel = "k",
                   .device = "d",
                   .tool = "t",
                   .values = {{"m", 0.1}},
                   .missing = {}}};
  run.ranges = {{.device = "cpu",
                 .problem = "p",
                 .mode = "warm",
                 .phase = "measure",
                 .begin = 1,
                 .end = 2,
                 .steps = {}}};
  return run;
}

std::string refusal(const std::filesystem::path& place) {
  try {
    read_run(place);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

/// What reading an archive with this text says.
std::string refusal_of(const TemporaryDirectory& directory, const std::string& text) {
  const auto file = directory.path() / "x.jsonl.zst";
  const Bytes frame = compressed(text);
  write_atomically(file, {ByteSpan(frame)});
  return refusal(file);
}

TEST(RunData, AnArchiveHoldsAllButNamesOfPlacesAndTheMachine) {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "x.jsonl.zst";
  write_archive(file, whole_run());
  const RunData run = read_run(file);
  EXPECT_EQ(run.manifest.name, "x");
  EXPECT_EQ(run.manifest.host_hash, "");
  EXPECT_THAT(run.manifest.command_line, testing::ElementsAre("msda", "run", "x.yaml"));
  EXPECT_EQ(run.records.at(0).reason, "cannot open peer.so: no such file");
  EXPECT_EQ(run.records.at(0).samples.at(0).seconds, whole_run().records[0].samples[0].seconds);
  EXPECT_EQ(run.trials.at(0).number, 3);
  EXPECT_EQ(run.counters.at(0).values.at("m"), 0.1);
  EXPECT_EQ(run.ranges.at(0).end, 2);
}

TEST(RunData, AnArchiveOfAnArchiveIsTheSameFile) {
  const TemporaryDirectory directory;
  const auto first = directory.path() / "first.jsonl.zst";
  const auto second = directory.path() / "second.jsonl.zst";
  write_archive(first, whole_run());
  write_archive(second, read_run(first));
  EXPECT_EQ(read_text(first), read_text(second));
}

TEST(RunData, BrokenArchivesAreNamedWithTheirLine) {
  const TemporaryDirectory directory;
  EXPECT_THAT(refusal(directory.write("plain.jsonl", "{}\n")),
              HasSubstr("plain.jsonl: no archive of a run: not a Zstandard frame"));
  EXPECT_THAT(refusal_of(directory, "{}\n"), HasSubstr("x.jsonl.zst:1: the first line must say"));
  EXPECT_THAT(refusal_of(directory, "{\"archive\": 2}\n"),
              HasSubstr("x.jsonl.zst:1: an archive of schema 2; this program reads schema 1"));
  EXPECT_THAT(refusal_of(directory, "{\"archive\": 1}\n{\"record\": {\"cell\": 5}}\n"),
              HasSubstr("x.jsonl.zst:2: "));
  EXPECT_THAT(refusal_of(directory, "{\"archive\": 1}\n{\"samples\": []}\n"),
              HasSubstr("x.jsonl.zst:2: 'samples' is nothing that a run has"));
  EXPECT_THAT(refusal_of(directory, "{\"archive\": 1}\n[1]\n"),
              HasSubstr("x.jsonl.zst:2: not an object of one member"));
  EXPECT_THAT(refusal_of(directory, "{\"archive\": 1}\n"),
              HasSubstr("x.jsonl.zst has no manifest of a run"));
}

TEST(WithoutPlaces, LeavesTheLastPartOfEachAbsolutePath) {
  EXPECT_EQ(without_places(std::string("/home/me/x.yaml --output=/tmp/y")), "x.yaml --output=y");
  EXPECT_EQ(without_places(std::string("'/a b' \"/a/b c\" (/a/b.hpp:3)")),
            "'/a b' \"b c\" (b.hpp:3)");
}

TEST(WithoutPlaces, LeavesAllElseAlone) {
  for (const std::string text :
       {"experiments/x.yaml", "ddetr/wide/warm", "GB / s", "1/s", "https://a.org/b/c", "/", "//",
        "a // b/c", "../../x/y", "~/x/y"}) {
    EXPECT_EQ(without_places(text), text);
  }
}

TEST(WithoutPlaces, ReachesEveryTextOfAValueAndDropsTheHost) {
  const json value = {{"a", {"/x/y", 1, {{"b", "/x/z"}, {"host_hash", "h"}}}}, {"host_hash", "h"}};
  EXPECT_EQ(without_places(value), (json{{"a", {"y", 1, {{"b", "z"}}}}}));
}

}  // namespace
}  // namespace msda
