// Directories of operators with a padding mask and points by level, in which one file is wrong.
#include <gmock/gmock.h>

#include <msda/operators/fused_backward.hpp>
#include "input/npy.hpp"
#include "input/tensor_files.hpp"
#include "operators/fused_backward/fused_backward.hpp"
#include "support/tensors.hpp"

namespace msda {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Shape = std::vector<std::int64_t>;

/// [2, 70] pixels, 7 queries, 3 heads of 5 channels, and rows of 1 + 3 + 2 points.
Input padded_input() {
  Problem problem = small_problem();
  problem.padding = true;
  problem.level_points = {1, 3, 2};
  return fused_backward::generate_input(problem, Generation{}, 0);
}

class PaddedDirectory : public testing::Test {
 protected:
  PaddedDirectory() : input_(padded_input()) { rewrite(); }

  void rewrite() const { write_directory(input_, directory_.path(), FileFormat::kNpy); }
  void write(std::string_view stem, NpyType type, const Shape& shape, Bytes bytes) const {
    write_npy(tensor_path(directory_.path(), stem, FileFormat::kNpy), type, shape, bytes);
  }
  void write_points(const Shape& points) const {
    const auto bytes = std::as_bytes(std::span(points));
    write("points_per_level", kNpyInt64, {static_cast<std::int64_t>(points.size())},
          {bytes.begin(), bytes.end()});
  }
  Input read() const { return read_npy_directory(directory_.path(), fused_backward::kTensors); }
  std::string error() const {
    return usage_error_of([&] { read(); });
  }

  TemporaryDirectory directory_;
  Input input_;
};

TEST_F(PaddedDirectory, AMaskOfAnotherShapeIsRefused) {
  for (const Shape& shape : {Shape{2, 69}, Shape{1, 70}, Shape{140}, Shape{2, 70, 1}}) {
    write("padding_mask", kNpyFlag, shape,
          Bytes(shape == Shape{2, 69}   ? 138
                : shape == Shape{1, 70} ? 70
                                        : 140));
    EXPECT_THAT(error(), AllOf(HasSubstr("padding_mask.npy: shape " + format_shape(shape)),
                               HasSubstr("(B, S)")));
  }
}

TEST_F(PaddedDirectory, AMaskOfAnotherTypeIsRefused) {
  write("padding_mask", kNpyInt64, {2, 70}, Bytes(140 * 8));
  EXPECT_THAT(error(), AllOf(HasSubstr("padding_mask.npy"), HasSubstr("'<i8' found"),
                             HasSubstr("'|b1' or '|u1'")));
  write("padding_mask", DType::kFloat32, {2, 70}, Bytes(140 * 4));
  EXPECT_THAT(error(), AllOf(HasSubstr("padding_mask.npy"), HasSubstr("'<f4' found")));
  write("padding_mask", kNpyFlag, {2, 70}, Bytes(140, std::byte{255}));
  EXPECT_THAT(error(), HasSubstr("padding_mask.npy"));
}

TEST_F(PaddedDirectory, OfAMaskOfAllPixelsNothingButNoughtsIsLeft) {
  write("padding_mask", kNpyFlag, {2, 70}, Bytes(140, std::byte{1}));
  for (const auto& output : fused_backward::compute_reference(read())) {
    EXPECT_THAT(output, testing::Each(0.0));
  }
}

TEST_F(PaddedDirectory, PointsByLevelThatContradictTensorsAreRefused) {
  write_points({3, 6, 3});
  EXPECT_THAT(error(), AllOf(HasSubstr("sampling_offsets.npy: shape (2, 7, 3, 6, 2)"),
                             HasSubstr("(2, 7, 3, 12, 2)")));
  write_points({3, 3});
  EXPECT_THAT(error(), HasSubstr("points has 2 entries for 3 levels"));
  write_points({0, 4, 2});
  EXPECT_THAT(error(), HasSubstr("points is 0"));
  write_points({});
  EXPECT_THAT(error(), HasSubstr("points_per_level.npy: shape (0,)"));
  write("points_per_level", DType::kFloat32, {3}, Bytes(12));
  EXPECT_THAT(error(), AllOf(HasSubstr("points_per_level.npy"), HasSubstr("'<f4' found")));
}

TEST_F(PaddedDirectory, AProblemWithoutImagesOrQueriesIsRefused) {
  write("value", DType::kFloat32, {0, 70, 3, 5}, {});
  EXPECT_THAT(error(), HasSubstr("batch is 0"));
  rewrite();
  write("sampling_offsets", DType::kFloat32, {2, 0, 3, 6, 2}, {});
  EXPECT_THAT(error(), HasSubstr("queries is 0"));
}

}  // namespace
}  // namespace msda
