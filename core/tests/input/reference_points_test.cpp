// Where queries stand on the image.
#include <cmath>

#include <gtest/gtest.h>

#include "input/locations.hpp"
#include "support/tensors.hpp"

namespace msda {
namespace {

TEST(ReferencePoints, AnEncodersQueriesStandOnTheirPixels) {
  Problem problem = small_problem();
  problem.queries = problem.spatial_size();
  const auto points = reference_points(problem);
  ASSERT_EQ(points.size(), 6U * 9 + 3 * 5 + 1);
  EXPECT_DOUBLE_EQ(points[10].x, 1.5 / 9);  // row 1, column 1 of level 0
  EXPECT_DOUBLE_EQ(points[10].y, 1.5 / 6);
  EXPECT_DOUBLE_EQ(points[54 + 4].x, 4.5 / 5);  // row 0, column 4 of level 1
  EXPECT_DOUBLE_EQ(points.back().x, 0.5);
}

TEST(ReferencePoints, OnesOfABorderStandAtTheEdge) {
  Problem problem = small_problem();
  problem.layout = ValueLayout::kZeroBorder;
  problem.queries = problem.spatial_size();
  const auto points = reference_points(problem);
  ASSERT_EQ(static_cast<std::int64_t>(points.size()), problem.queries);
  EXPECT_EQ(points[0].x, 0.0);
  EXPECT_EQ(points[0].y, 0.0);
  EXPECT_DOUBLE_EQ(points[12].x, 0.5 / 9);  // the first inner pixel
  EXPECT_DOUBLE_EQ(points[12].y, 0.5 / 6);
}

TEST(ReferencePoints, ADecodersQueriesCoverTheImageEvenly) {
  for (const std::int64_t queries : {1, 2, 7, 300, 15422}) {
    Problem problem = small_problem();
    problem.levels = {{92, 160}};
    problem.queries = queries;
    const auto points = reference_points(problem);
    ASSERT_EQ(static_cast<std::int64_t>(points.size()), queries);
    double x = 0;
    double y = 0;
    for (const Location& point : points) {
      x += point.x;
      y += point.y;
      EXPECT_TRUE(point.x > 0 && point.x < 1 && point.y > 0 && point.y < 1);
    }
    EXPECT_NEAR(x / static_cast<double>(queries), 0.5, 1e-9);
    EXPECT_NEAR(y / static_cast<double>(queries), 0.5, 0.2 / std::sqrt(queries));
  }
}

TEST(ReferencePoints, OneQueryForEachPixelOfLevel0IsItsRaster) {
  const Problem problem = preset("dcnv4-bench");
  const auto points = reference_points(problem);
  EXPECT_DOUBLE_EQ(points[153].x, 1.5 / 152);
  EXPECT_DOUBLE_EQ(points[153].y, 1.5 / 100);
}

}  // namespace
}  // namespace msda
