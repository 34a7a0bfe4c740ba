#include "reference/corner_count.hpp"

#include <atomic>
#include <vector>

#include "input/elements.hpp"
#include "parallel.hpp"
#include "reference/image.hpp"

namespace msda {
namespace {

class Counter {
 public:
  /// `padding`: flags of the image's pixels, or null.
  Counter(const Problem& problem, const std::byte* padding)
      : planes_(planes_of(problem)),
        padding_(padding),
        last_(static_cast<std::size_t>(problem.spatial_size()), kNever) {}

  void add(std::size_t level, std::int64_t query, float location_x, float location_y,
           bool skips_zeros) {
    const Plane& plane = planes_[level];
    const double x = pixels(location_x, plane.width);
    const double y = pixels(location_y, plane.height);
    if (!counts(x, plane.width) || !counts(y, plane.height)) return;
    const auto [column, dx] = Coordinate::of(x);
    const auto [row, dy] = Coordinate::of(y);
    for (int corner = 0; corner < 4; ++corner) {
      const bool below = corner / 2 == 1;
      const bool right = corner % 2 == 1;
      if (skips_zeros && ((below && dy == 0) || (right && dx == 0))) continue;
      add_pixel(plane, query, row + (below ? 1 : 0), column + (right ? 1 : 0));
    }
  }

  CornerCount count;

 private:
  static constexpr std::int64_t kNever = -2;

  void add_pixel(const Plane& plane, std::int64_t query, std::int64_t row, std::int64_t column) {
    if (!plane.has(row, column)) return;
    const auto pixel = static_cast<std::size_t>(plane.pixel(row, column));
    if (padding_ != nullptr && padding_[pixel] != std::byte{0}) return;
    std::int64_t& last = last_[pixel];
    if (last == kNever) ++count.touched;
    if (last < query - 1) ++count.gathered;
    last = query;
  }

  std::vector<Plane> planes_;
  const std::byte* padding_;
  std::vector<std::int64_t> last_;  ///< by pixel: the last query of the head that read it
};

/// Of head `of_image` % H of image `of_image` / H.
CornerCount count_head(const Problem& problem, const Bytes& locations, const Bytes* weights,
                       const Bytes* padding, std::int64_t of_image) {
  const std::int64_t image = of_image / problem.heads;
  Counter counter(problem,
                  padding == nullptr ? nullptr : padding->data() + image * problem.spatial_size());
  const auto points = static_cast<std::size_t>(problem.row_points());
  std::vector<float> place(2 * points);
  std::vector<float> weight(points, 1.0F);
  for (std::int64_t query = 0; query < problem.queries; ++query) {
    const std::int64_t row =
        (image * problem.queries + query) * problem.heads + of_image % problem.heads;
    const auto first = row * static_cast<std::int64_t>(points);
    load_floats(problem.types.location, locations.data(), 2 * first, place);
    if (weights != nullptr) load_floats(problem.types.weight, weights->data(), first, weight);
    for (std::size_t i = 0; i < points; ++i) {
      if (weight[i] == 0) continue;
      counter.add(problem.level_of(static_cast<std::int64_t>(i)), query, place[2 * i],
                  place[2 * i + 1], weights != nullptr);
    }
  }
  return counter.count;
}

}  // namespace

CornerCount count_corners(const Problem& problem, const Bytes& locations, const Bytes* weights,
                          const Bytes* padding) {
  std::atomic<std::int64_t> touched = 0;
  std::atomic<std::int64_t> gathered = 0;
  parallel_for(problem.batch * problem.heads, 1, 0, [&](std::int64_t of_image, std::int64_t) {
    const CornerCount own = count_head(problem, locations, weights, padding, of_image);
    touched += own.touched;
    gathered += own.gathered;
  });
  return {touched, gathered};
}

void take_corners(const CornerCount& count, const Problem& problem, Traffic& traffic) {
  const std::int64_t pixel =
      problem.channels * static_cast<std::int64_t>(size_of(problem.types.value));
  traffic.read += count.touched * pixel;
  traffic.gathered = count.gathered * pixel;
}

}  // namespace msda
