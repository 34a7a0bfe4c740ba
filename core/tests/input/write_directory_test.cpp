#include <gmock/gmock.h>

#include <msda/operators/forward.hpp>

#include "support/tensors.hpp"

namespace msda {
namespace {

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

TEST(WriteDirectory, BrainFloatComesBackInBothFormats) {
  for (const FileFormat format : {FileFormat::kNpy, FileFormat::kRaw}) {
    const TemporaryDirectory directory;
    const Input input = small_input(DType::kBFloat16);
    write_directory(input, directory.path(), format);
    const Input read = format == FileFormat::kNpy
                           ? read_npy_directory(directory.path(), forward::kTensors)
                           : read_raw_directory(directory.path(), forward::kTensors, input.problem);
    EXPECT_EQ(read.problem.types, Types::all(DType::kBFloat16));
    EXPECT_EQ(content_hash(read), content_hash(input));
  }
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

TEST(WriteDirectory, PointsByLevelOfAnotherInputAreNotLeftBesideThese) {
  const TemporaryDirectory directory;
  Problem problem = small_problem();
  problem.level_points = {3, 2, 1};
  write_directory(generate(problem, {}), directory.path(), FileFormat::kNpy);
  EXPECT_THAT(
      usage_error_of([&] { write_directory(small_input(), directory.path(), FileFormat::kNpy); }),
      HasSubstr("points_per_level.npy belongs to another input"));
}

}  // namespace
}  // namespace msda
