#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include <msda/operators/forward.hpp>
#include "input/npy.hpp"
#include "input/tensor_files.hpp"
#include "support/tensors.hpp"

namespace msda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Input small_input(ValueLayout layout = ValueLayout::kPlain) {
  Problem problem = small_problem();
  problem.layout = layout;
  Input input = generate(problem, {});
  input.expected[forward::kOutput].assign(
      static_cast<std::size_t>(elements(problem, forward::kOutput)), 0.5F);
  return input;
}

/// A good directory in which each test spoils one file.
class NpyDirectory : public testing::Test {
 protected:
  NpyDirectory() : input_(small_input()) { rewrite(); }

  void rewrite() const { write_directory(input_, directory_.path(), FileFormat::kNpy); }

  std::filesystem::path file(std::string_view stem) const {
    return tensor_path(directory_.path(), stem, FileFormat::kNpy);
  }

  void write_integers(std::string_view stem, const std::vector<std::int64_t>& shape,
                      const std::vector<std::int64_t>& numbers) const {
    const auto bytes = std::as_bytes(std::span(numbers));
    write_npy(file(stem), kNpyInt64, shape, {bytes.begin(), bytes.end()});
  }

  void write_reals(std::string_view stem, const std::vector<std::int64_t>& shape) const {
    std::size_t count = 1;
    for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
    write_npy(file(stem), DType::kFloat32, shape, Bytes(count * 4));
  }

  std::string error() const {
    return usage_error_of([&] { read_npy_directory(directory_.path(), forward::kTensors); });
  }

  TemporaryDirectory directory_;
  Input input_;
};

TEST_F(NpyDirectory, IsReadAsItWasWritten) {
  const Input read = read_npy_directory(directory_.path(), forward::kTensors);
  EXPECT_EQ(content_hash(read), content_hash(input_));
  EXPECT_EQ(read.expected, input_.expected);
  EXPECT_EQ(read.origin, directory_.path().string());
  EXPECT_EQ(read.problem.name, directory_.path().filename().string());
  EXPECT_EQ(read_npy_directory(directory_.path() / "", forward::kTensors).problem.name,
            read.problem.name);
}

TEST_F(NpyDirectory, HalfPrecisionIsReadAsItWasWritten) {
  input_ = convert(input_, Types::all(DType::kFloat16));
  std::filesystem::remove(file("output"));
  rewrite();
  const Input read = read_npy_directory(directory_.path(), forward::kTensors);
  EXPECT_EQ(content_hash(read), content_hash(input_));
  EXPECT_TRUE(read.expected[forward::kOutput].empty());
}

TEST_F(NpyDirectory, ABorderIsRecognisedByTheStarts) {
  input_ = small_input(ValueLayout::kZeroBorder);
  rewrite();
  const Input read = read_npy_directory(directory_.path(), forward::kTensors);
  EXPECT_EQ(read.problem.layout, ValueLayout::kZeroBorder);
  EXPECT_EQ(content_hash(read), content_hash(input_));
}

TEST_F(NpyDirectory, ABorderThatIsNotZeroIsRefused) {
  input_ = small_input(ValueLayout::kZeroBorder);
  store_element(DType::kFloat32, input_.at("value").data(), 15 + 2,
                1.0F);  // pixel 1: in the top row
  rewrite();
  EXPECT_THAT(error(), AllOf(HasSubstr("value.npy"), HasSubstr("border pixel 1 of image 0")));
}

TEST_F(NpyDirectory, EachMissingFileIsNamed) {
  for (const char* stem : {"value", "spatial_shapes", "level_start_index", "sampling_locations",
                           "attention_weights"}) {
    std::filesystem::remove(file(stem));
    EXPECT_THAT(error(), AllOf(HasSubstr(stem), HasSubstr("no such file")));
    rewrite();
  }
  EXPECT_THAT(
      usage_error_of([&] { read_npy_directory(directory_.path() / "absent", forward::kTensors); }),
      HasSubstr("absent: no such directory"));
}

TEST_F(NpyDirectory, WrongElementTypesAreNamed) {
  write_integers("value", {2, 70, 3, 5}, std::vector<std::int64_t>(2100));
  EXPECT_THAT(error(), AllOf(HasSubstr("value.npy"), HasSubstr("'<i8' found")));
  rewrite();
  write_reals("spatial_shapes", {3, 2});
  EXPECT_THAT(error(), AllOf(HasSubstr("spatial_shapes.npy"), HasSubstr("'<f4' found")));
}

TEST_F(NpyDirectory, ShapesMustAgreeAcrossFiles) {
  const auto refuses = [&](const char* stem, const std::vector<std::int64_t>& shape,
                           const std::string& expected) {
    write_reals(stem, shape);
    EXPECT_THAT(error(), AllOf(HasSubstr(std::string(stem) + ".npy: shape " + format_shape(shape)),
                               HasSubstr(expected)));
    rewrite();
  };
  refuses("value", {2, 70, 15}, "(B, S, H, C)");
  refuses("sampling_locations", {2, 7, 3, 3, 6}, "(B, Q, H, L, P, 2)");
  refuses("sampling_locations", {2, 7, 4, 3, 3, 2}, "(2, 7, 3, 3, 3, 2)");
  refuses("sampling_locations", {2, 7, 3, 2, 3, 2}, "(2, 7, 3, 3, 3, 2)");
  refuses("attention_weights", {2, 7, 3, 3, 4}, "(2, 7, 3, 3, 3)");
  refuses("output", {2, 7, 3, 5}, "(2, 7, 15)");
}

TEST_F(NpyDirectory, IntegerShapesMustAgree) {
  write_integers("spatial_shapes", {6}, {6, 9, 3, 5, 1, 1});
  EXPECT_THAT(error(), AllOf(HasSubstr("spatial_shapes.npy: shape (6,)"), HasSubstr("(L, 2)")));
  write_integers("spatial_shapes", {3, 2}, {6, 9, 3, 0, 1, 1});
  EXPECT_THAT(error(), HasSubstr("levels[1].width is 0"));
  rewrite();
  write_integers("level_start_index", {3, 1}, {0, 54, 69});
  EXPECT_THAT(error(), AllOf(HasSubstr("level_start_index.npy: shape (3, 1)"), HasSubstr("(L,)")));
}

TEST_F(NpyDirectory, InconsistentStartsAreRefusedByLevel) {
  write_integers("level_start_index", {3}, {0, 54, 70});
  EXPECT_THAT(error(), AllOf(HasSubstr("level_start_index.npy"),
                             HasSubstr("level 2 (1x1) starts at 70 instead of 69: it would end at "
                                       "71, beyond spatial_size 70")));
  rewrite();
  write_reals("value", {2, 71, 3, 5});
  EXPECT_THAT(error(), HasSubstr("the levels have 70 pixels, but spatial_size is 71"));
}

TEST_F(NpyDirectory, OnlyLocationsMayBeNotFinite) {
  store_element(DType::kFloat32, input_.at("locations").data(), 0, kNan);
  store_element(DType::kFloat32, input_.at("locations").data(), 5,
                std::numeric_limits<float>::infinity());
  rewrite();
  EXPECT_EQ(error(), "");
  store_element(DType::kFloat32, input_.at("value").data(), 70 * 15 + 7, kNan);
  rewrite();
  EXPECT_THAT(error(), AllOf(HasSubstr("value.npy"), HasSubstr("element [1, 0, 1, 2] is nan")));
  input_ = small_input();
  store_element(DType::kFloat32, input_.at("weights").data(), 1,
                -std::numeric_limits<float>::infinity());
  rewrite();
  EXPECT_THAT(error(), AllOf(HasSubstr("attention_weights.npy"),
                             HasSubstr("element [0, 0, 0, 0, 1] is -inf")));
  input_ = small_input();
  input_.expected[forward::kOutput].front() = kNan;
  rewrite();
  EXPECT_THAT(error(), AllOf(HasSubstr("output.npy"), HasSubstr("nan")));
}

TEST_F(NpyDirectory, ATruncatedFileIsNamed) {
  std::filesystem::resize_file(file("sampling_locations"),
                               std::filesystem::file_size(file("sampling_locations")) - 1);
  EXPECT_THAT(error(), AllOf(HasSubstr("sampling_locations.npy"), HasSubstr("truncated")));
}

TEST_F(NpyDirectory, EachSideOfABorderHasToBeZero) {
  // Of level 0, whose rows have 9 pixels and one on each side: left, right, and the last row.
  for (const std::int64_t pixel : {11, 21, 7 * 11 + 3}) {
    input_ = small_input(ValueLayout::kZeroBorder);
    store_element(DType::kFloat32, input_.at("value").data(), pixel * 15, 1.0F);
    rewrite();
    EXPECT_THAT(error(), HasSubstr("border pixel " + std::to_string(pixel) + " of image 0"));
  }
}

TEST_F(NpyDirectory, StartsOfABorderDoNotMakeUpForMissingPixels) {
  input_ = small_input(ValueLayout::kZeroBorder);
  rewrite();
  write_reals("value", {2, input_.problem.spatial_size() + 1, 3, 5});
  EXPECT_THAT(error(), AllOf(HasSubstr("level_start_index"), HasSubstr("consistent are")));
}

TEST_F(NpyDirectory, AnElementFarBehindTheFirstIsNamedByItsOwnIndices) {
  Problem problem = small_problem();
  problem.channels = 64;
  input_ = generate(problem, {});
  const std::int64_t last = elements(problem, forward::kValue) - 1;
  store_element(DType::kFloat32, input_.at("value").data(), last, kNan);
  std::filesystem::remove(file("output"));
  rewrite();
  EXPECT_THAT(error(), HasSubstr("element [1, 69, 2, 63] is nan"));
}

}  // namespace
}  // namespace msda
