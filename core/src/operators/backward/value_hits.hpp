// The points that add to the gradient of a level's values, and the order of their places.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "operators/backward/point.hpp"
#include "reference/on_axis.hpp"

namespace msda::backward {

/// A point of one level and head that counts, or might after rounding: of x and y each. One line of
/// the cache, because hits are read in the order of their places.
struct alignas(64) Hit {
  Hit(const OnAxis& x, const OnAxis& y, double its_weight, std::int64_t its_query)
      : fraction{x.coordinate.fraction, y.coordinate.fraction},
        weight(its_weight),
        query(its_query),
        pixel{static_cast<std::int32_t>(x.coordinate.pixel),
              static_cast<std::int32_t>(y.coordinate.pixel)},
        binade{static_cast<float>(x.binade), static_cast<float>(y.binade)},
        next{static_cast<std::int8_t>(x.neighbour()), static_cast<std::int8_t>(y.neighbour())},
        counts(x.counts && y.counts) {}

  double fraction[2];
  double weight;
  std::int64_t query;
  std::int32_t pixel[2];
  float binade[2];      ///< powers of two
  std::int8_t next[2];  ///< OnAxis::neighbour()
  bool counts;
};

/// Where a hit is: along the axis that is looked at, and across.
struct Place {
  double along;
  double across;
  std::size_t hit;

  bool operator<(const Place& other) const {
    return std::tie(along, across, hit) < std::tie(other.along, other.across, other.hit);
  }
};

/// In strips first, as many as there are some places for each: those lie in the cache as they are
/// sorted.
class PlaceSorter {
 public:
  void sort(std::vector<Place>& places, std::int64_t size) {
    constexpr std::size_t kOfStrip = 16;
    const std::size_t strips = places.size() / kOfStrip + 1;
    // Hits are less than two pixels outside.
    const double scale = static_cast<double>(strips) / static_cast<double>(size + 4);
    const auto strip_of = [&](const Place& place) {
      return std::min(static_cast<std::size_t>((place.along + 2) * scale), strips - 1);
    };
    ends_.assign(strips + 1, 0);
    for (const Place& place : places) ++ends_[strip_of(place) + 1];
    for (std::size_t i = 1; i <= strips; ++i) ends_[i] += ends_[i - 1];
    sorted_.resize(places.size());
    for (const Place& place : places) sorted_[ends_[strip_of(place)]++] = place;
    std::size_t first = 0;
    for (std::size_t i = 0; i < strips; ++i) {
      std::sort(sorted_.begin() + static_cast<std::ptrdiff_t>(first),
                sorted_.begin() + static_cast<std::ptrdiff_t>(ends_[i]));
      first = ends_[i];
    }
    places.swap(sorted_);
  }

 private:
  std::vector<std::size_t> ends_;
  std::vector<Place> sorted_;
};

/// Calls body(right, below, factor) for the parts of a hit's contribution, to the four corners:
/// the pixel that lies so far from the hit's own, and the factor of weight times gradient.
template <class Body>
void for_parts(const Hit& hit, const Body& body) {
  if (!hit.counts) return;
  const std::array<double, 4> shares = Tap{0, 0, hit.fraction[0], hit.fraction[1]}.shares();
  for (std::int64_t k = 0; k < 4; ++k) body(k % 2, k / 2, shares[static_cast<std::size_t>(k)]);
}

/// The same of the derivatives with respect to the coordinate on axis `along`. Where rounding may
/// move the point to the next cell, that cell's pixels are met too.
template <class Body>
void for_derivatives(const Hit& hit, std::size_t along, const Body& body) {
  const std::int64_t next = hit.next[along];
  const double fraction = hit.fraction[1 - along];
  const double shares[2] = {1 - fraction, fraction};
  for (std::int64_t i = std::min<std::int64_t>(next, 0); i <= 1 + std::max<std::int64_t>(next, 0);
       ++i) {
    for (std::int64_t j = 0; j < 2; ++j) {
      const double factor = (i <= 0 ? -1 : 1) * shares[j];
      along == 0 ? body(i, j, factor) : body(j, i, factor);
    }
  }
}

}  // namespace msda::backward
