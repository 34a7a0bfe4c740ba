#include <gmock/gmock.h>

#include "testing.hpp"

namespace msda {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

Input small_input(DType type = DType::kFloat32) {
  Problem problem = small_problem();
  problem.types = Types::all(type);
  return generate(problem, {});
}

TEST(WriteDirectory, CreatesTheDirectoryAndLeavesNoTemporaryFile) {
  const TemporaryDirectory directory;
  const auto target = directory.path() / "new" / "input";
  write_directory(small_input(), target, FileFormat::kNpy);
  EXPECT_THAT(files_in(target),
              UnorderedElementsAre("value.npy", "spatial_shapes.npy", "level_start_index.npy",
                                   "sampling_locations.npy", "attention_weights.npy"));
}

TEST(WriteDirectory, NpyHasNoBrainFloat) {
  const TemporaryDirectory directory;
  const auto target = directory.path() / "input";
  EXPECT_THAT(usage_error_of([&] {
                write_directory(small_input(DType::kBFloat16), target, FileFormat::kNpy);
              }),
              AllOf(HasSubstr("bf16"), HasSubstr("raw")));
  EXPECT_FALSE(std::filesystem::exists(target));  // refused before anything is written
  EXPECT_NO_THROW(write_directory(small_input(DType::kBFloat16), target, FileFormat::kRaw));
}

TEST(WriteDirectory, AnOutputOfOtherTensorsIsNotLeftBesideThese) {
  const TemporaryDirectory directory;
  write_text(directory.path() / "output.npy", "of another input");
  EXPECT_THAT(
      usage_error_of([&] { write_directory(small_input(), directory.path(), FileFormat::kNpy); }),
      HasSubstr("output.npy belongs to another input"));
  EXPECT_EQ(read_text(directory.path() / "output.npy"), "of another input");
}

TEST(WriteDirectory, FormatsAreNotMixed) {
  const TemporaryDirectory directory;
  write_directory(small_input(), directory.path(), FileFormat::kNpy);
  EXPECT_THAT(
      usage_error_of([&] { write_directory(small_input(), directory.path(), FileFormat::kRaw); }),
      HasSubstr("value.npy exists"));
}

TEST(WriteDirectory, SaysWhyTheDirectoryCannotBeMade) {
  const TemporaryDirectory directory;
  write_text(directory.path() / "file", "");
  EXPECT_THROW(
      write_directory(small_input(), directory.path() / "file" / "inside", FileFormat::kNpy),
      EnvironmentError);
}

}  // namespace
}  // namespace msda
