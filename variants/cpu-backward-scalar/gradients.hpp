// The gradients of backward.hpp in two pieces of work that need nothing of each other: those of the
// points of some queries, and that of the values in some lines of a level. Shared with the variant
// that spreads them over threads.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include <msda/elements.hpp>
#include <msda/operators/backward.hpp>

#include "levels.hpp"

namespace msda::cpu {

/// Queries [begin, end) of one head of one image.
struct QueryRange {
  std::int64_t batch;
  std::int64_t head;
  std::int64_t begin;
  std::int64_t end;
};

/// Lines [begin, end) of one level, of one head of one image.
struct Tile {
  std::int64_t batch;
  std::int64_t head;
  std::size_t level;
  std::int64_t begin;
  std::int64_t end;
};

/// What a thread needs for itself, kept from call to call.
struct GradientWorkspace {
  std::vector<float> gradient;  ///< [C] of one row of grad_output
  std::vector<float> sums;      ///< [lines, W, C] of a tile
};

class Gradients {
 public:
  explicit Gradients(const Problem& problem) : problem_(problem), levels_(problem) {}

  /// Pixels that count as zero and get no gradient: flags [B, S], or null for none.
  void set_padding(const void* mask) { padding_ = static_cast<const unsigned char*>(mask); }

  const Problem& problem() const { return problem_; }
  const Levels& levels() const { return levels_; }
  bool of_value(const backward::View& view) const { return view.grad_value != nullptr; }
  bool of_points(const backward::View& view) const {
    return view.grad_sampling_locations != nullptr || view.grad_attention_weights != nullptr;
  }

  /// Zeros for the pixels of borders, which are no tile's.
  void clear_borders(const backward::View& view) const {
    if (problem_.layout == ValueLayout::kPlain) return;
    std::memset(view.grad_value, 0,
                static_cast<std::size_t>(backward::bytes_of(problem_, backward::kGradValue)));
  }

  void run(const backward::View& view, const QueryRange& range, GradientWorkspace& own) const {
    with_type(problem_.types.value, [&]<DType kValue>() {
      for (std::int64_t q = range.begin; q < range.end; ++q) {
        const std::int64_t row = (range.batch * problem_.queries + q) * problem_.heads + range.head;
        load_gradient(view, row, own.gradient);
        run_row<Element<kValue>>(view, row, own.gradient.data());
      }
    });
  }

  /// Contributions to a pixel are added up in the order of queries, whatever tiles there are.
  void run(const backward::View& view, const Tile& tile, GradientWorkspace& own) const {
    const LevelPlace& level = levels_.places()[tile.level];
    own.sums.assign(
        static_cast<std::size_t>((tile.end - tile.begin) * level.width * problem_.channels), 0.0F);
    for (std::int64_t q = 0; q < problem_.queries; ++q) add_query(view, tile, q, own);
    store_tile(view, tile, own.sums);
  }

 private:
  /// Where a point lies: the pixel up left of it, and how far right of and below that.
  struct Tap {
    bool counts;
    std::int64_t column;
    std::int64_t row;
    float right;
    float below;
  };

  /// Of point `point` of all. In double, products of coordinates are exact.
  Tap tap(const backward::View& view, const LevelPlace& level, std::int64_t point) const {
    const double x = load(problem_.types.location, view.locations, 2 * point) *
                         static_cast<double>(level.width) -
                     0.5;
    const double y = load(problem_.types.location, view.locations, 2 * point + 1) *
                         static_cast<double>(level.height) -
                     0.5;
    // Written so that NaN counts as outside.
    const bool counts = x > -1 && y > -1 && x < static_cast<double>(level.width) &&
                        y < static_cast<double>(level.height);
    if (!counts) return {};
    const double left = std::floor(x);
    const double top = std::floor(y);
    return {true, static_cast<std::int64_t>(left), static_cast<std::int64_t>(top),
            static_cast<float>(x - left), static_cast<float>(y - top)};
  }

  bool is_padding(std::int64_t image, std::int64_t pixel) const {
    return padding_ != nullptr && padding_[image * levels_.spatial_size() + pixel] != 0;
  }
  static bool has(const LevelPlace& level, std::int64_t row, std::int64_t column) {
    return row >= 0 && column >= 0 && row < level.height && column < level.width;
  }

  void load_gradient(const backward::View& view, std::int64_t row, std::vector<float>& to) const {
    to.resize(static_cast<std::size_t>(problem_.channels));
    with_type(problem_.types.output, [&]<DType kType>() {
      const auto* from =
          static_cast<const Element<kType>*>(view.grad_output) + row * problem_.channels;
      for (std::size_t c = 0; c < to.size(); ++c) to[c] = to_float(from[c]);
    });
  }

  /// In eight sums, so that a compiler may use vectors.
  template <class Value>
  static float dot(const float* gradient, const Value* value, std::int64_t channels) {
    constexpr std::int64_t kSums = 8;
    std::array<float, kSums> sums{};
    std::int64_t c = 0;
    for (; c + kSums <= channels; c += kSums) {
      for (std::int64_t i = 0; i < kSums; ++i) {
        sums[static_cast<std::size_t>(i)] += gradient[c + i] * to_float(value[c + i]);
      }
    }
    for (; c < channels; ++c) sums[0] += gradient[c] * to_float(value[c]);
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
           ((sums[2] + sums[6]) + (sums[3] + sums[7]));
  }

  /// The points of row `row` = (b*Q + q)*H + h.
  template <class Value>
  void run_row(const backward::View& view, std::int64_t row, const float* gradient) const {
    const std::int64_t head = row % problem_.heads;
    const std::int64_t image_of_row = row / problem_.heads / problem_.queries;
    const auto* image = static_cast<const Value*>(view.value) +
                        image_of_row * levels_.spatial_size() * problem_.heads * problem_.channels;
    std::int64_t point = row * problem_.row_points();
    for (std::size_t l = 0; l < levels_.places().size(); ++l) {
      const LevelPlace& level = levels_.places()[l];
      for (std::int64_t p = 0; p < problem_.points_of(l); ++p, ++point) {
        const Tap at = tap(view, level, point);
        std::array<float, 4> dots{};
        for (std::int64_t k = 0; at.counts && k < 4; ++k) {
          const std::int64_t line = at.row + k / 2;
          const std::int64_t column = at.column + k % 2;
          if (!has(level, line, column)) continue;
          const std::int64_t pixel = level.origin + line * level.pitch + column;
          if (is_padding(image_of_row, pixel)) continue;
          dots[static_cast<std::size_t>(k)] =
              dot(gradient, image + (pixel * problem_.heads + head) * problem_.channels,
                  problem_.channels);
        }
        store_point(view, level, point, at, dots);
      }
    }
  }

  /// From the dots of the four corners; zeros for a point that does not count.
  void store_point(const backward::View& view, const LevelPlace& level, std::int64_t point,
                   const Tap& at, const std::array<float, 4>& dots) const {
    const float across = (1 - at.below) * (dots[1] - dots[0]) + at.below * (dots[3] - dots[2]);
    const float down = (1 - at.right) * (dots[2] - dots[0]) + at.right * (dots[3] - dots[1]);
    if (view.grad_attention_weights != nullptr) {
      const float top = (1 - at.right) * dots[0] + at.right * dots[1];
      const float bottom = (1 - at.right) * dots[2] + at.right * dots[3];
      store(problem_.types.weight, view.grad_attention_weights, point,
            (1 - at.below) * top + at.below * bottom);
    }
    if (view.grad_sampling_locations == nullptr) return;
    const float weight = load(problem_.types.weight, view.weights, point);
    const DType type = problem_.types.location;
    store(type, view.grad_sampling_locations, 2 * point,
          at.counts ? weight * static_cast<float>(level.width) * across : 0.0F);
    store(type, view.grad_sampling_locations, 2 * point + 1,
          at.counts ? weight * static_cast<float>(level.height) * down : 0.0F);
  }

  /// Adds what the points of a query give to the pixels of a tile.
  void add_query(const backward::View& view, const Tile& tile, std::int64_t query,
                 GradientWorkspace& own) const {
    const LevelPlace& level = levels_.places()[tile.level];
    const std::int64_t row = (tile.batch * problem_.queries + query) * problem_.heads + tile.head;
    const std::int64_t first = row * problem_.row_points() + problem_.first_point(tile.level);
    bool is_loaded = false;
    for (std::int64_t point = first; point < first + problem_.points_of(tile.level); ++point) {
      const Tap at = tap(view, level, point);
      if (!at.counts || at.row + 1 < tile.begin || at.row >= tile.end) continue;
      if (!is_loaded) load_gradient(view, row, own.gradient);
      is_loaded = true;
      const float weight = load(problem_.types.weight, view.weights, point);
      for (std::int64_t k = 0; k < 4; ++k) {
        const std::int64_t line = at.row + k / 2;
        const std::int64_t column = at.column + k % 2;
        if (line < tile.begin || line >= tile.end || !has(level, line, column)) continue;
        if (is_padding(tile.batch, level.origin + line * level.pitch + column)) continue;
        const float share = (k / 2 == 1 ? at.below : 1 - at.below) *
                            (k % 2 == 1 ? at.right : 1 - at.right) * weight;
        float* const sum =
            own.sums.data() + ((line - tile.begin) * level.width + column) * problem_.channels;
        const float* const gradient = own.gradient.data();
        for (std::int64_t c = 0; c < problem_.channels; ++c) sum[c] += share * gradient[c];
      }
    }
  }

  void store_tile(const backward::View& view, const Tile& tile,
                  const std::vector<float>& sums) const {
    const LevelPlace& level = levels_.places()[tile.level];
    with_type(problem_.types.value, [&]<DType kType>() {
      const float* from = sums.data();
      for (std::int64_t line = tile.begin; line < tile.end; ++line) {
        for (std::int64_t column = 0; column < level.width; ++column) {
          const std::int64_t pixel =
              tile.batch * levels_.spatial_size() + level.origin + line * level.pitch + column;
          auto* const to = static_cast<Element<kType>*>(view.grad_value) +
                           (pixel * problem_.heads + tile.head) * problem_.channels;
          for (std::int64_t c = 0; c < problem_.channels; ++c) from_float(*from++, to[c]);
        }
      }
    });
  }

  Problem problem_;
  Levels levels_;
  const unsigned char* padding_ = nullptr;
};

}  // namespace msda::cpu
