// Inputs that the operator `fused` generates, and what it refuses.
#include <algorithm>
#include <array>
#include <limits>

#include <gtest/gtest.h>

#include "input/locations.hpp"
#include "operators/fused/fused.hpp"
#include "operators/operator.hpp"
#include "support/tensors.hpp"

namespace msda {
namespace {

TEST(FusedInput, SomeRowsHaveOneWeightThatTakesNearlyAll) {
  Problem problem = small_problem();
  problem.queries = 200;
  const Input input = fused::generate_input(problem, Generation{}, 0);
  fused::RowPoints points(input);
  int saturated = 0;
  const int rows = static_cast<int>(problem.batch * problem.queries * problem.heads);
  for (int row = 0; row < rows; ++row) {
    points.load(row);
    for (const double weight : points.weights) saturated += weight > 0.99 ? 1 : 0;
  }
  EXPECT_GT(saturated, rows / 16);
  EXPECT_LT(saturated, rows / 4);
}

/// Of the largest of two images that one level shows.
double padded_share(const Input& input, std::int64_t image) {
  const std::int64_t pixels = input.problem.spatial_size();
  const auto first = input.at("padding_mask").begin() + image * pixels;
  return static_cast<double>(std::count(first, first + pixels, std::byte{1})) /
         static_cast<double>(pixels);
}

TEST(FusedInput, PaddingLiesRightOfImagesAndBelow) {
  Problem problem =
      make_problem({.batch = 3, .queries = 5, .heads = 1, .levels = {{30, 20}, {15, 10}}});
  problem.padding = true;
  const Input input = fused::generate_input(problem, Generation{}, 0);
  const Bytes& mask = input.at("padding_mask");
  for (std::int64_t image = 0; image < 3; ++image) {
    EXPECT_LT(padded_share(input, image), 0.75) << image;
    for (std::size_t l = 0; l < 2; ++l) {
      const Level& level = problem.levels[l];
      const auto at = [&](std::int64_t row, std::int64_t column) {
        return mask[static_cast<std::size_t>(image * problem.spatial_size() +
                                             problem.level_starts()[l] + row * level.width +
                                             column)];
      };
      EXPECT_EQ(at(0, 0), std::byte{0});
      for (std::int64_t row = 0; row + 1 < level.height; ++row) {
        for (std::int64_t column = 0; column + 1 < level.width; ++column) {
          EXPECT_LE(at(row, column), at(row + 1, column));
          EXPECT_LE(at(row, column), at(row, column + 1));
        }
      }
    }
  }
  EXPECT_GT(padded_share(input, 1), 0.0) << "neither the widest nor the highest";
}

/// Of an axis, as far as the levels tell: an image fills ceil(share * size) pixels of each.
struct FilledShare {
  double above = 0;
  double most = 1;

  void add(std::int64_t filled, std::int64_t size) {
    above = std::max(above, static_cast<double>(filled - 1) / static_cast<double>(size));
    most = std::min(most, static_cast<double>(filled) / static_cast<double>(size));
  }
  bool exists() const { return above < most; }
};

TEST(FusedInput, AnImageFillsTheSameShareOfEachLevelToThePixel) {
  Problem problem = make_problem(
      {.batch = 4, .queries = 5, .heads = 1, .levels = {{101, 97}, {50, 31}, {13, 11}, {7, 5}}});
  problem.padding = true;
  const Input input = fused::generate_input(problem, Generation{}, 0);
  for (std::int64_t image = 0; image < problem.batch; ++image) {
    FilledShare across, down;
    for (std::size_t l = 0; l < problem.levels.size(); ++l) {
      const Level& level = problem.levels[l];
      const std::byte* const mask = input.at("padding_mask").data() +
                                    image * problem.spatial_size() + problem.level_starts()[l];
      std::int64_t width = 0, height = 0, pixels = 0;
      while (width < level.width && mask[width] == std::byte{0}) ++width;
      while (height < level.height && mask[height * level.width] == std::byte{0}) ++height;
      pixels = std::count(mask, mask + level.height * level.width, std::byte{0});
      EXPECT_EQ(pixels, width * height);
      across.add(width, level.width);
      down.add(height, level.height);
    }
    EXPECT_TRUE(across.exists()) << image << ": " << across.above << " " << across.most;
    EXPECT_TRUE(down.exists()) << image << ": " << down.above << " " << down.most;
  }
}

TEST(FusedInput, AMaskAndPointsByLevelSurviveTheirFiles) {
  const TemporaryDirectory directory;
  Problem problem = in_type(DType::kFloat16, small_problem());
  problem.padding = true;
  problem.level_points = {1, 3, 2};
  for (const FileFormat format : {FileFormat::kNpy, FileFormat::kRaw}) {
    const auto place = directory.path() / (format == FileFormat::kNpy ? "npy" : "raw");
    const Input input = fused::generate_input(problem, Generation{}, 0);
    write_directory(input, place, format);
    const Input read = format == FileFormat::kNpy
                           ? read_npy_directory(place, fused::kTensors)
                           : read_raw_directory(place, fused::kTensors, problem);
    EXPECT_TRUE(read.problem.padding);
    EXPECT_EQ(read.problem.level_points, problem.level_points);
    EXPECT_EQ(content_hash(read), content_hash(input));
    Problem bare = problem;
    bare.padding = false;
    EXPECT_THROW(write_directory(fused::generate_input(bare, Generation{}, 0), place, format),
                 UsageError)
        << "the mask would be read as its own";
  }
}

/// A kernel that reads another level's reference would be right if all were the same.
TEST(FusedInput, LevelsHaveReferencesOfTheirOwn) {
  Problem problem = make_problem(
      {.batch = 2, .queries = 6, .heads = 1, .levels = {{30, 20}, {15, 10}, {8, 5}, {4, 3}}});
  const Input input = fused::generate_input(problem, Generation{}, 0);
  const auto reference = [&](std::int64_t query, std::int64_t level, std::int64_t axis) {
    return load_element(DType::kFloat32, input.at("reference_points").data(),
                        (query * 4 + level) * 2 + axis);
  };
  for (std::int64_t query = 0; query < 12; ++query) {
    const std::int64_t axis = query < 6 ? 1 : 0;  // image 0 is the widest, and image 1 the highest
    EXPECT_EQ(reference(query, 0, 1 - axis), reference(query, 3, 1 - axis)) << query;
    EXPECT_NE(reference(query, 0, axis), reference(query, 3, axis)) << query;
    for (std::int64_t level = 0; level < 3; ++level) {
      // By a pixel of the coarser of them at most.
      const Level& coarse = problem.levels[static_cast<std::size_t>(level) + 1];
      EXPECT_NEAR(reference(query, level, axis), reference(query, level + 1, axis),
                  2.0 / double(axis == 0 ? coarse.width : coarse.height));
    }
  }
}

/// The end of an image is the same place wherever a level's pixels put it.
TEST(FusedInput, ReferencesAreMovedByThePartOfEachAxisOfTheirLevel) {
  Problem problem =
      make_problem({.batch = 3, .queries = 4, .heads = 1, .levels = {{101, 30}, {13, 50}}});
  problem.padding = true;
  const Input input = fused::generate_input(problem, Generation{}, 0);
  const std::vector<Location> centres = reference_points(problem);
  const std::byte* const mask = input.at("padding_mask").data() + problem.spatial_size();
  // Of image 1, which is neither the widest nor the highest.
  std::array<double, 2> parts{};
  for (std::size_t l = 0; l < 2; ++l) {
    const Level& level = problem.levels[l];
    const std::byte* const own = mask + problem.level_starts()[l];
    std::int64_t height = 0;
    while (height < level.height && own[height * level.width] == std::byte{0}) ++height;
    const double y = load_element(DType::kFloat32, input.at("reference_points").data(),
                                  (problem.queries * 2 + static_cast<std::int64_t>(l)) * 2 + 1);
    parts[l] = static_cast<double>(height) / static_cast<double>(level.height) * centres[0].y / y;
  }
  EXPECT_NEAR(parts[0], parts[1], 1e-5);
  EXPECT_LT(parts[0], 1);
}

TEST(FusedInput, AMaskHasFlagsAndNothingElse) {
  const TemporaryDirectory directory;
  Problem problem = small_problem();
  problem.padding = true;
  Input input = fused::generate_input(problem, Generation{}, 0);
  input.at("padding_mask")[3] = std::byte{2};
  write_directory(input, directory.path() / "input", FileFormat::kNpy);
  EXPECT_THROW(read_npy_directory(directory.path() / "input", fused::kTensors), UsageError);
}

TEST(FusedInput, WhatOtherOperatorsHaveNoneOfIsRefused) {
  Problem problem = small_problem();
  problem.padding = true;
  EXPECT_THROW(generate(problem, Generation{}), UsageError);
  EXPECT_THROW(find_operator("backward").generate(problem, Generation{}, 0), UsageError);
}

TEST(FusedInput, SurvivesItsFiles) {
  const TemporaryDirectory directory;
  Problem problem = in_type(DType::kFloat16, small_problem());
  for (const References& references : {References{2, 0}, References{4, 1}}) {
    problem.references = references;
    const Input input = fused::generate_input(problem, Generation{}, 0);
    write_directory(input, directory.path() / "input", FileFormat::kNpy);
    const Input read = read_npy_directory(directory.path() / "input", fused::kTensors);
    EXPECT_EQ(read.problem.references, references);
    EXPECT_EQ(content_hash(read), content_hash(input));
  }
}

TEST(FusedInput, ReferencesThatCannotBeAreRefused) {
  Problem problem = small_problem();
  problem.references.coordinates = 3;
  EXPECT_THROW(fused::generate_input(problem, Generation{}, 0), UsageError);
  problem.references = {2, 2};  // of 3 points
  EXPECT_THROW(fused::generate_input(problem, Generation{}, 0), UsageError);
  const auto points = static_cast<std::size_t>(problem.row_points());
  problem.references = {4, 0, 0.5, std::vector<double>(points, 0.25)};
  EXPECT_NO_THROW(fused::generate_input(problem, Generation{}, 0));
  problem.references.point_scales.back() = std::numeric_limits<double>::infinity();
  EXPECT_THROW(fused::generate_input(problem, Generation{}, 0), UsageError);
  problem.references.point_scales.back() = 0;
  EXPECT_THROW(fused::generate_input(problem, Generation{}, 0), UsageError);
  problem.references.point_scales.pop_back();
  EXPECT_THROW(fused::generate_input(problem, Generation{}, 0), UsageError);
  problem.references = {2, 0, 0.5, std::vector<double>(points, 0.25)};
  EXPECT_THROW(fused::generate_input(problem, Generation{}, 0), UsageError) << "of no box";
}

}  // namespace
}  // namespace msda
