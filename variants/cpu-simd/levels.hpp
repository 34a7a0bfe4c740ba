// Where the levels of an image lie in `value`: what every variant on the CPU needs of a Problem.
#pragma once

#include <cstdint>
#include <vector>

#include <msda/problem.hpp>

namespace msda::cpu {

/// One level. In pixels.
struct LevelPlace {
  std::int64_t width;
  std::int64_t height;
  std::int64_t pitch;   ///< from one row to the next
  std::int64_t origin;  ///< from the start of the image to pixel (0, 0), inside any border
};

class Levels {
 public:
  explicit Levels(const Problem& problem) {
    const std::int64_t border = problem.layout == ValueLayout::kZeroBorder ? 1 : 0;
    for (const Level& level : problem.levels) {
      const std::int64_t pitch = level.width + 2 * border;
      places_.push_back({level.width, level.height, pitch, spatial_size_ + border * (pitch + 1)});
      spatial_size_ += pitch * (level.height + 2 * border);
    }
  }

  const std::vector<LevelPlace>& places() const { return places_; }
  /// Stored pixels of an image, borders included.
  std::int64_t spatial_size() const { return spatial_size_; }

 private:
  std::vector<LevelPlace> places_;
  std::int64_t spatial_size_ = 0;
};

}  // namespace msda::cpu
