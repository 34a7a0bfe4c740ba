// Tensors of a problem in files: made, and converted.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files/read.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::HasSubstr;

TEST(CliInput, GeneratesAndConverts) {
  const TemporaryDirectory directory;
  const std::string npy = directory.path() / "npy";
  const std::string raw = directory.path() / "raw";
  const Outcome generated = run({"input", "generate", "batch=1", "levels=4x5,2x3", "num_levels=2",
                                 "num_query=5", "channels=8", "num_points=2", "--output", npy});
  EXPECT_EQ(generated.exit_code, 0) << generated.err;
  EXPECT_TRUE(std::filesystem::exists(npy + "/value.npy"));
  const Outcome converted =
      run({"input", "convert", "dir=" + npy, "dtype=fp16", "--output", raw, "--format", "raw"});
  EXPECT_EQ(converted.exit_code, 0) << converted.err;
  EXPECT_EQ(std::filesystem::file_size(raw + "/value.bin"), 26U * 8 * 2);
  EXPECT_EQ(run({"verify", "fixture", "--device", "cpu", "--input", npy}).exit_code, 0);
}

TEST(CliInput, OverwritesWhatIsThereOnlyWhenToldTo) {
  const TemporaryDirectory directory;
  const std::string tensors = (directory.path() / "tensors").string();
  const auto generate = [&](const char* seed, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"input", "generate", "levels=4x5", "channels=4", seed, "--output"});
    more.insert(more.begin() + 6, tensors);
    return run(more);
  };
  const auto value = [&] { return read_text(tensors + "/value.npy"); };
  ASSERT_EQ(generate("seed=1").exit_code, 0);
  const std::string first = value();
  const Outcome refused = generate("seed=2");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--force"));
  EXPECT_EQ(value(), first);
  EXPECT_EQ(generate("seed=2", {"--force"}).exit_code, 0);
  EXPECT_NE(value(), first);
}

TEST(CliInput, ReferencePointsOfFilesAreAsTheFilesHaveThem) {
  const TemporaryDirectory directory;
  const Outcome generated =
      run({"input", "generate", "operator=fused", "levels=4x5,2x3", "channels=4", "num_query=3",
           "references={coordinates: 4, anchors: 1}", "--output", directory.path() / "boxes"});
  ASSERT_EQ(generated.exit_code, 0) << generated.err;
  const auto validate = [&](const std::string& references) {
    return run({"validate", directory.write("x.yaml",
                                            "problems: [{operator: fused, input: boxes, "
                                            "references: {" +
                                                references + "}}]\narms: [cpu-fused]\n")});
  };
  EXPECT_EQ(validate("coordinates: 4, anchors: 1, scale: 0.25").exit_code, 0);
  EXPECT_EQ(validate("type: fp16").exit_code, 0);
  for (const char* other : {"coordinates: 2", "anchors: 2"}) {
    EXPECT_THAT(validate(other).err, HasSubstr("has reference points of 4 coordinates, anchors: 1"))
        << other;
  }
}

TEST(CliInput, AsManyAnchorsAsLevelsAreTakenForThese) {
  const TemporaryDirectory directory;
  const std::string tensors = directory.path() / "tensors";
  const Outcome generated = run({"input", "generate", "operator=fused", "levels=4x5,2x3",
                                 "channels=4", "num_query=3", "--output", tensors});
  ASSERT_EQ(generated.exit_code, 0) << generated.err;
  const Outcome measured =
      run({"bench", "cpu-fused", "operator=fused", "dir=" + tensors, "references={anchors: 2}",
           "--device", "cpu", "blocks=1", "samples=1"});
  EXPECT_EQ(measured.exit_code, 0) << measured.out << measured.err;
}

TEST(CliInput, SaysHowMuchMemoryIsNeededAndThere) {
  const TemporaryDirectory directory;
  const Outcome outcome = run({"input", "generate", "batch=1000000", "num_query=100000",
                               "levels=1000x1000", "--output", directory.path() / "tensors"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(
      outcome.err,
      testing::MatchesRegex("msda: input: B=1000000 Q=100000 .* needs [0-9.]+ GB for its tensors "
                            "and this machine has [0-9.]+ GB free; take a smaller batch or "
                            "types\n"));
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "tensors"));
}

TEST(CliInput, UsageErrors) {
  EXPECT_THAT(run({"input", "genrate", "--output", "x"}).err, HasSubstr("'generate'?"));
  EXPECT_THAT(run({"input", "convert", "--output", "x"}).err, HasSubstr("needs dir="));
  EXPECT_THAT(run({"input", "generate", "levels=4x4"}).err, HasSubstr("give --output"));
  EXPECT_THAT(run({"input", "generate", "levels=4x4", "--output", "x", "--format", "rwa"}).err,
              HasSubstr("did you mean 'raw'?"));
}

}  // namespace
}  // namespace msda::test
