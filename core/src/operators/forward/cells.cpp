#include "operators/forward/cells.hpp"

#include <algorithm>
#include <cmath>

namespace msda::forward {
namespace {

/// From the channels of the four corners.
Cell make_cell(const std::array<const float*, 4>& corner, std::int64_t channels) {
  Cell cell;
  for (std::int64_t c = 0; c < channels; ++c) {
    std::array<double, 4> v{};
    for (std::size_t k = 0; k < v.size(); ++k) {
      v[k] = static_cast<double>(corner[k][c]);
      cell.corners[k] += v[k] * v[k];
    }
    const double top = v[1] - v[0];
    const double bottom = v[3] - v[2];
    const double left = v[2] - v[0];
    const double right = v[3] - v[1];
    cell.top += top * top;
    cell.bottom += bottom * bottom;
    cell.top_bottom += top * bottom;
    cell.left += left * left;
    cell.right += right * right;
    cell.left_right += left * right;
  }
  const double share = 1.0 / static_cast<double>(channels);
  for (double& corner_sum : cell.corners) corner_sum *= share;
  for (double* sum :
       {&cell.top, &cell.bottom, &cell.top_bottom, &cell.left, &cell.right, &cell.left_right}) {
    *sum *= share;
  }
  return cell;
}

}  // namespace

Cells::Cells(const Plane& plane, const float* image, std::int64_t heads, std::int64_t channels,
             std::int64_t head)
    : height_(plane.height), width_(plane.width) {
  const std::vector<float> zeros(static_cast<std::size_t>(channels), 0.0F);
  const auto pixel = [&](std::int64_t row, std::int64_t column) {
    if (!plane.has(row, column)) return zeros.data();
    return image + (plane.pixel(row, column) * heads + head) * channels;
  };
  cells_.reserve(static_cast<std::size_t>((height_ + 1) * (width_ + 1)));
  for (std::int64_t row = -1; row < height_; ++row) {
    for (std::int64_t column = -1; column < width_; ++column) {
      cells_.push_back(make_cell({pixel(row, column), pixel(row, column + 1),
                                  pixel(row + 1, column), pixel(row + 1, column + 1)},
                                 channels));
      const float* const own = pixel(row, column);
      for (std::int64_t c = 0; c < channels; ++c) {
        largest_ = std::max(largest_, static_cast<double>(std::abs(own[c])));
      }
    }
  }
}

}  // namespace msda::forward
