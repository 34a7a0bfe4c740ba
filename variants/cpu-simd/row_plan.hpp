// What the vector code of one instruction set is given: plain data only. Translation units built
// for different instruction sets include this header, so it must hold no inline function and no
// class with one: the linker keeps a single copy of such a function and might keep the one with AVX
// instructions.
#pragma once

#include <cstdint>

#include <msda/dtype.hpp>

namespace msda::cpu_rows {

/// A problem as the loops need it. N = L * P sampling points of one query and head; the tables have
/// `padded_points` entries, of which those past N belong to no point.
struct RowPlan {
  Types types;
  std::int64_t queries = 0;
  std::int64_t heads = 0;
  std::int64_t channels = 0;
  std::int64_t points = 0;         ///< N
  std::int64_t padded_points = 0;  ///< N rounded up to a whole vector of the widest instruction set
  bool zero_border = false;        ///< corners one pixel outside a level may be read, and are zero

  // One output row, a query and a head, in the other tensors.
  std::int64_t location_bytes = 0;
  std::int64_t weight_bytes = 0;
  std::int64_t output_bytes = 0;

  std::int64_t image_bytes = 0;  ///< from one image of `value` to the next
  std::int64_t pixel_bytes = 0;  ///< from one pixel to the next
  std::int64_t head_bytes = 0;   ///< from one head to the next inside a pixel
  const float* width = nullptr;  ///< of each point's level, in pixels
  const float* height = nullptr;
  const std::int64_t* first =
      nullptr;  ///< bytes from an image's start to pixel (0, 0) of the level
  const std::int64_t* pitch = nullptr;  ///< bytes from one pixel row of the level to the next
};

/// Sampling points of one query and head, one array entry for each.
struct PointArrays {
  float* weight[4] = {};  ///< attention times bilinear weight: top left, top right, bottom ...
  std::int32_t* column = nullptr;  ///< of the top left corner, -1 to W - 1
  std::int32_t* row = nullptr;
  std::int32_t* reach = nullptr;   ///< a Reach
  std::int64_t* offset = nullptr;  ///< bytes from the head plane's start to the top left corner
};

/// How much of a point's 2x2 neighbourhood may be read.
enum Reach : std::int32_t { kNothing = 0, kSomeCorners = 1, kAllCorners = 2 };

/// Working memory of one thread.
struct RowScratch {
  PointArrays points;          ///< of the query at work
  float* locations = nullptr;  ///< 2 * padded_points
  float* weights = nullptr;    ///< padded_points
  float* output = nullptr;     ///< channels
};

/// Tensors as problem.hpp lays them out.
struct RowTensors {
  const unsigned char* value = nullptr;
  const unsigned char* locations = nullptr;
  const unsigned char* weights = nullptr;
  unsigned char* output = nullptr;
};

/// Queries [begin, end) of one head of one image.
struct RowRange {
  std::int64_t batch = 0;
  std::int64_t head = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Computes the output rows of a range.
using RowFunction = void (*)(const RowPlan&, const RowTensors&, const RowRange&, const RowScratch&);

}  // namespace msda::cpu_rows
