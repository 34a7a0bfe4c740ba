#include "cli/bench_words.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/support.hpp"

namespace msda::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

ProblemSpec problem_of(const std::vector<std::string>& list) {
  Words words(list);
  ProblemSpec spec = problem_from_words(words);
  EXPECT_TRUE(words.rest().empty()) << words.rest().begin()->first;
  return spec;
}

std::string error_of(const std::vector<std::string>& list) {
  try {
    problem_of(list);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(BenchWords, TheLedgersCommandLine) {
  const ProblemSpec spec =
      problem_of({"batch=48", "spatial_size=20522", "num_query=20522", "num_heads=1", "channels=32",
                  "num_levels=4", "num_points=8", "im2col_step=1"});
  const Problem& problem = spec.problem;
  Problem expected = preset("ledger-48-square");
  expected.name = problem.name;
  EXPECT_EQ(problem, expected);
  EXPECT_FALSE(spec.directory);
}

TEST(BenchWords, TheSmallCommandLine) {
  const Problem problem = problem_of({"batch=1", "spatial_size=100", "num_query=100"}).problem;
  EXPECT_EQ(problem.levels.front(), (Level{8, 9}));
  EXPECT_EQ(problem.queries, 100);
}

TEST(BenchWords, LevelsMayDifferInTheirPoints) {
  EXPECT_THAT(problem_of({"levels=4x4,2x2", "points=3,6"}).problem.level_points,
              testing::ElementsAre(3, 6));
  EXPECT_THAT(error_of({"levels=4x4,2x2", "points=3,6,3"}),
              HasSubstr("points has 3 entries for 2 levels"));
  EXPECT_THAT(error_of({"levels=4x4,2x2", "points=3,x"}), HasSubstr("'x' is not a number from 1"));
}

TEST(BenchWords, MapsAndListsAreThoseOfExperiments) {
  const Problem problem =
      problem_of({"operator=fused", "references={coordinates: 4, anchors: 1}",
                  "levels=[[4, 4], [2, 2]]", "points=[3, 6]", "dtype={location: bf16}"})
          .problem;
  EXPECT_EQ(problem.references.coordinates, 4);
  EXPECT_EQ(problem.references.anchors, 1);
  EXPECT_EQ(problem.levels, (std::vector<Level>{{4, 4}, {2, 2}}));
  EXPECT_THAT(problem.level_points, testing::ElementsAre(3, 6));
  EXPECT_EQ(problem.types.location, DType::kBFloat16);
  EXPECT_EQ(problem.types.value, DType::kFloat32);
  EXPECT_THAT(error_of({"operator=fused", "levels=4x4", "references={coordinates: 3}"}),
              HasSubstr("'coordinates' is 3; it must be 2 or 4"));
  EXPECT_THAT(error_of({"operator=fused", "levels=4x4", "references={coordinates: "}),
              HasSubstr("references=:1:"));
  EXPECT_THAT(error_of({"dir=[nowhere]"}), HasSubstr("input directory '[nowhere]' does not exist"));
}

TEST(BenchWords, OperatorsWithoutReferencePointsTakeNone) {
  EXPECT_THAT(error_of({"levels=4x4", "references={coordinates: 4}"}),
              HasSubstr("the operator 'forward' has no reference points"));
}

TEST(BenchWords, HelpNamesTheValuesThatWordsTake) {
  const std::string help = problem_words_help();
  EXPECT_THAT(help, HasSubstr("{coordinates: 4}"));
  EXPECT_THAT(help, HasSubstr("{location: fp32}"));
  EXPECT_THAT(help, testing::Not(HasSubstr("next table")));
  EXPECT_THAT(help, testing::Not(HasSubstr("table below")));
}

TEST(BenchWords, LevelsAndSpatialSizeMustAgree) {
  EXPECT_EQ(problem_of({"levels=4x4,2x2", "num_levels=2"}).problem.queries, 20);
  EXPECT_EQ(problem_of({"levels=4x4", "num_levels=1", "spatial_size=36"}).problem.layout,
            ValueLayout::kZeroBorder);
  EXPECT_THAT(error_of({"levels=4x4", "spatial_size=17"}), HasSubstr("spatial_size=17"));
  EXPECT_THAT(error_of({"levels=4x4", "num_levels=2"}), HasSubstr("num_levels=2"));
  EXPECT_THAT(error_of({"spatial_size=2"}), HasSubstr("give the levels: levels=HxW"));
  EXPECT_THAT(error_of({}), HasSubstr("give the levels"));
}

TEST(BenchWords, Im2colStepDividesTheBatchOrExceedsIt) {
  const std::vector<std::string> base = {"batch=6", "levels=4x4"};
  const auto with = [&](const std::string& word) {
    std::vector<std::string> words = base;
    words.push_back(word);
    return error_of(words);
  };
  for (const char* good : {"im2col_step=1", "im2col_step=3", "im2col_step=6", "im2col_step=64"}) {
    EXPECT_EQ(with(good), "no error") << good;
  }
  EXPECT_THAT(with("im2col_step=4"), HasSubstr("im2col_step=4: it must divide batch (6)"));
  EXPECT_THAT(with("im2col_step=0"), HasSubstr("at least 1"));
}

TEST(BenchWords, MalformedWords) {
  EXPECT_THAT(error_of({"batch"}), HasSubstr("'batch' is not key=value"));
  EXPECT_THAT(error_of({"batch=1", "batch=2"}), HasSubstr("batch= is given twice"));
  EXPECT_THAT(error_of({"batch=two"}),
              HasSubstr("batch=two: key 'batch' must be an integer, not 'two'"));
  EXPECT_THAT(error_of({"levels=4x4", "dtype=fp61"}), HasSubstr("did you mean 'fp16'?"));
  EXPECT_THAT(error_of({"num_levels=99", "spatial_size=100"}), HasSubstr("it must be from 1 to 8"));
  EXPECT_THAT(error_of({"levels=4x4", "dir=/nowhere"}),
              HasSubstr("dir=/nowhere: input directory '/nowhere' does not exist"));
}

TEST(BenchWords, APresetMayBeChanged) {
  const Problem problem = problem_of({"preset=ddetr-decoder", "batch=1", "dtype=bf16"}).problem;
  EXPECT_EQ(problem.batch, 1);
  EXPECT_EQ(problem.queries, 300);
  EXPECT_EQ(problem.types, Types::all(DType::kBFloat16));
}

class BenchDirectory : public testing::Test {
 protected:
  BenchDirectory() { write_directory(make_input(tiny_problem()), path(), FileFormat::kRaw); }
  std::string path() const { return (directory_.path() / "raw").string(); }
  std::vector<std::string> words(std::vector<std::string> more = {}) const {
    more.insert(more.end(),
                {"num_query=5", "num_heads=2", "channels=8", "num_points=2", "dir=" + path()});
    return more;
  }

  TemporaryDirectory directory_;
};

TEST_F(BenchDirectory, RawTensorsTakeTheirLevelsFromTheFiles) {
  const ProblemSpec spec = problem_of(words({"num_levels=2", "spatial_size=26"}));
  EXPECT_EQ(spec.problem.levels, tiny_problem().problem.levels);
  EXPECT_EQ(make_input(spec).at("value"), make_input(tiny_problem()).at("value"));
}

TEST_F(BenchDirectory, WordsThatContradictTheFilesAreRefused) {
  EXPECT_THAT(error_of(words({"spatial_size=27"})), HasSubstr("spatial_size=27"));
  EXPECT_THAT(error_of(words({"batch=3"})), HasSubstr("bytes found"));
  EXPECT_THAT(error_of({"dir=" + path()}), HasSubstr("give batch=, num_query="));
}

TEST_F(BenchDirectory, InconsistentLevelStartsAreRefusedByName) {
  const std::vector<std::int64_t> starts = {0, 21};
  std::ofstream file(fs::path(path()) / "level_start_index.bin", std::ios::binary);
  file.write(reinterpret_cast<const char*>(starts.data()), 16);
  file.close();
  EXPECT_THAT(error_of(words()), HasSubstr("level 1 (2x3) starts at 21 instead of 20"));
}

}  // namespace
}  // namespace msda::test
