#include "input/locations.hpp"

#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include <msda/error.hpp>
#include <msda/operators/forward.hpp>

#include "input/elements.hpp"
#include "parallel.hpp"

namespace msda {
namespace {

/// One sampling point as a sampler sees it.
struct Point {
  std::int64_t image;
  std::int64_t query;  ///< by its reference point's number
  std::int64_t head;
  std::int64_t point;  ///< 0 .. P-1
  double width;        ///< of the level, in pixels
  double height;
  PhiloxCounter words;  ///< the point's own random words
};

/// `centre` moved by normal offsets with a standard deviation of `sigma` pixels of the point's
/// level.
Location scatter(const Location& centre, double sigma, const Point& point) {
  const NormalPair normals = to_normals(point.words[0], point.words[1]);
  return {centre.x + sigma * normals.first / point.width,
          centre.y + sigma * normals.second / point.height};
}

class UniformSampler {
 public:
  UniformSampler(double low, double high) : low_(low), size_(high - low) {}
  Location operator()(const Point& point) const {
    return {low_ + size_ * to_uniform(point.words[0]), low_ + size_ * to_uniform(point.words[1])};
  }

 private:
  double low_;
  double size_;
};

class LocalSampler {
 public:
  LocalSampler(const Problem& problem, double sigma)
      : references_(reference_points(problem)), sigma_(sigma) {}
  Location operator()(const Point& point) const {
    return scatter(references_[static_cast<std::size_t>(point.query)], sigma_, point);
  }

 private:
  std::vector<Location> references_;
  double sigma_;
};

class DirectionalSampler {
 public:
  explicit DirectionalSampler(const Problem& problem)
      : references_(reference_points(problem)), directions_(initial_directions(problem.heads)) {}
  Location operator()(const Point& point) const {
    const Location& reference = references_[static_cast<std::size_t>(point.query)];
    const Location& direction = directions_[static_cast<std::size_t>(point.head)];
    const auto distance = static_cast<double>(point.point + 1);
    return {reference.x + distance * direction.x / point.width,
            reference.y + distance * direction.y / point.height};
  }

 private:
  std::vector<Location> references_;
  std::vector<Location> directions_;
};

/// Each image has its objects; each query belongs to one of them and stands near its centre.
class ClusteredSampler {
 public:
  ClusteredSampler(const Problem& problem, const Generation& generation, const RandomSource& random)
      : queries_(problem.queries), sigma_(generation.sigma) {
    references_.reserve(static_cast<std::size_t>(problem.batch * problem.queries));
    for (std::int64_t image = 0; image < problem.batch; ++image) {
      for (std::int64_t query = 0; query < problem.queries; ++query) {
        references_.push_back(reference(image, query, generation.objects, random));
      }
    }
  }
  Location operator()(const Point& point) const {
    return scatter(references_[static_cast<std::size_t>(point.image * queries_ + point.query)],
                   sigma_, point);
  }

 private:
  Location reference(std::int64_t image, std::int64_t query, std::int64_t objects,
                     const RandomSource& random) const {
    constexpr double kObjectSize =
        0.03;  // standard deviation of the queries, in units of the image
    const PhiloxCounter words =
        random.block(RandomStream::kQuery, static_cast<std::uint64_t>(image * queries_ + query));
    const std::int64_t object = to_index(words[0], objects);
    const PhiloxCounter centre =
        random.block(RandomStream::kObject, static_cast<std::uint64_t>(image * objects + object));
    const NormalPair normals = to_normals(words[1], words[2]);
    return {to_uniform(centre[0]) + kObjectSize * normals.first,
            to_uniform(centre[1]) + kObjectSize * normals.second};
  }

  std::int64_t queries_;
  double sigma_;
  std::vector<Location> references_;
};

/// A share of the points lies beyond one edge of the image, up to half the image's size away.
class OutsideSampler {
 public:
  explicit OutsideSampler(double share) : share_(share) {}
  Location operator()(const Point& point) const {
    const double first = to_uniform(point.words[0]);
    const double second = to_uniform(point.words[1]);
    if (to_uniform(point.words[2]) >= share_) return {first, second};
    const double beyond = 0.5 * first;
    const double along = 2.0 * second - 0.5;
    switch (point.words[3] % 4) {
      case 0: return {-beyond, along};
      case 1: return {1.0 + beyond, along};
      case 2: return {along, -beyond};
      default: return {along, 1.0 + beyond};
    }
  }

 private:
  double share_;
};

/// Every coordinate is a multiple of half a pixel: pixel centres, edges and corners. Half of the
/// coordinates are the places where an implementation goes wrong first: the image's edge, the
/// centre of the outermost pixels, and the first position that counts no more.
class BorderSampler {
 public:
  Location operator()(const Point& point) const {
    return {coordinate(point.words[0], point.words[1], point.width),
            coordinate(point.words[2], point.words[3], point.height)};
  }

 private:
  static double coordinate(std::uint32_t choice, std::uint32_t place, double size) {
    const bool at_edge = choice % 2 == 0;
    if (!at_edge)
      return 0.5 * static_cast<double>(to_index(place, std::llround(2 * size) + 1)) / size;
    const double from_edge = 0.5 * static_cast<double>(to_index(place, 3) - 1);  // -0.5, 0 or 0.5
    const bool far_edge = choice / 2 % 2 == 0;
    return (far_edge ? size - from_edge : from_edge) / size;
  }
};

class SameSampler {
 public:
  explicit SameSampler(const RandomSource& random) {
    const PhiloxCounter words = random.block(RandomStream::kCommon, 0);
    location_ = {to_uniform(words[0]), to_uniform(words[1])};
  }
  Location operator()(const Point& /*point*/) const { return location_; }

 private:
  Location location_;
};

/// Writes the locations of one query, [H, L, P, 2], which has the reference point of number
/// `place`. Point i of the input draws from block i.
template <class Sampler>
void sample_query(const Problem& problem, std::int64_t image, std::int64_t query,
                  std::int64_t place, const RandomSource& random, const Sampler& sampler,
                  std::vector<float>& out) {
  const std::int64_t per_query = problem.heads * problem.row_points();
  auto index = static_cast<std::uint64_t>((image * problem.queries + query) * per_query);
  std::size_t at = 0;
  for (std::int64_t head = 0; head < problem.heads; ++head) {
    for (std::size_t l = 0; l < problem.levels.size(); ++l) {
      const Level& level = problem.levels[l];
      for (std::int64_t point = 0; point < problem.points_of(l); ++point) {
        const Location location = sampler(
            {image, place, head, point, static_cast<double>(level.width),
             static_cast<double>(level.height), random.block(RandomStream::kPoint, index++)});
        out[at++] = static_cast<float>(location.x);
        out[at++] = static_cast<float>(location.y);
      }
    }
  }
}

/// The place that each query has among the reference points.
std::vector<std::int64_t> query_places(const Problem& problem, QueryOrder order,
                                       const RandomSource& random) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(problem.queries));
  std::iota(places.begin(), places.end(), std::int64_t{0});
  if (order == QueryOrder::kRaster) return places;
  for (std::size_t i = places.size(); i > 1; --i) {  // Fisher and Yates
    const std::uint32_t word = random.block(RandomStream::kOrder, i)[0];
    const std::int64_t other = to_index(word, static_cast<std::int64_t>(i));
    std::swap(places[i - 1], places[static_cast<std::size_t>(other)]);
  }
  return places;
}

template <class Sampler>
Bytes sample_all(const Problem& problem, const std::vector<std::int64_t>& places,
                 const RandomSource& random, unsigned threads, const Sampler& sampler) {
  constexpr std::int64_t kGrain = 64;
  const std::int64_t per_query = 2 * problem.heads * problem.row_points();
  Bytes locations;
  resize_by_many(locations, static_cast<std::size_t>(bytes_of(problem, forward::kLocations)),
                 threads);
  parallel_for(problem.batch * problem.queries, kGrain, threads,
               [&](std::int64_t begin, std::int64_t end) {
                 std::vector<float> buffer(static_cast<std::size_t>(per_query));
                 for (std::int64_t i = begin; i < end; ++i) {
                   const std::int64_t query = i % problem.queries;
                   sample_query(problem, i / problem.queries, query,
                                places[static_cast<std::size_t>(query)], random, sampler, buffer);
                   store_floats(problem.types.location, buffer, locations.data(), i * per_query);
                 }
               });
  return locations;
}

}  // namespace

Bytes generate_locations(const Problem& problem, const Generation& generation,
                         const RandomSource& random, unsigned threads) {
  const auto places = query_places(problem, generation.query_order, random);
  const auto sample = [&](const auto& sampler) {
    return sample_all(problem, places, random, threads, sampler);
  };
  switch (generation.distribution) {
    case Distribution::kUniform: return sample(UniformSampler(generation.low, generation.high));
    case Distribution::kLocal: return sample(LocalSampler(problem, generation.sigma));
    case Distribution::kDirectional: return sample(DirectionalSampler(problem));
    case Distribution::kClustered: return sample(ClusteredSampler(problem, generation, random));
    case Distribution::kOutside: return sample(OutsideSampler(generation.outside_share));
    case Distribution::kBorder: return sample(BorderSampler());
    case Distribution::kSame: return sample(SameSampler(random));
  }
  throw Error("unknown distribution");
}

}  // namespace msda
