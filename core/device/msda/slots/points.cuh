// Slot "points": what a row's points are made of. Locations and weights are given, or an operator
// makes them of other tensors of the same shape (core/src/operators/fused/device/points.cuh).
#pragma once

#include <msda/contract.cuh>
#include <msda/level_points.cuh>
#include <msda/sampling.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/vector.cuh>

namespace msda {

/// The place of a point, 0 .. 1 inside the image.
struct Position {
  float x, y;
};

/// Neighbouring points of a row as they lie in memory, with at most 16 bytes of locations: a
/// power of two of points that begins at a multiple of it. Members are words because a loop carries
/// words unchanged from one iteration to the next.
template <class Problem, int points>
struct StoredPoints {
  using Location = typename Problem::Location;
  using Weight = typename Problem::Weight;
  using LocationWord = ptx::Word<(2 * points * int{sizeof(Location)})>;
  using WeightWord = ptx::Word<(points * int{sizeof(Weight)})>;
  LocationWord locations;
  WeightWord weights;

  /// Reads from the addresses of the first point's location and weight, with `load(const Word*)`.
  template <class Load>
  __device__ static StoredPoints read(const void* locations, const void* weights, Load load) {
    return {load(static_cast<const LocationWord*>(locations)),
            load(static_cast<const WeightWord*>(weights))};
  }
  /// Two numbers of point i, and one, in float32.
  __device__ Position two(int i) const {
    const auto* location = reinterpret_cast<const Location*>(&locations);
    return {to_float(location[2 * i]), to_float(location[2 * i + 1])};
  }
  __device__ float one(int i) const {
    return to_float(reinterpret_cast<const Weight*>(&weights)[i]);
  }
};

/// Points from point `first` of a row on, loaded from global memory as a stream (slot cache).
template <class K, int points>
__device__ __forceinline__ StoredPoints<typename K::Problem, points> load_stored(
    const Arguments& arguments, RowNumber row, int first) {
  using Problem = typename K::Problem;
  using Points = StoredPoints<Problem, points>;
  using Location = typename Points::Location;
  using Weight = typename Points::Weight;
  constexpr unsigned kOfRow = kRowPoints<Problem>;
  return Points::read(
      at_row<2 * kOfRow * sizeof(Location)>(
          static_cast<const Location*>(arguments.locations) + 2 * first, row),
      at_row<kOfRow * sizeof(Weight)>(static_cast<const Weight*>(arguments.weights) + first, row),
      [](const auto* p) { return K::Cache::load_stream(p); });
}

/// Static members. A lane is alone with its rows, or shares a row with neighbouring lanes, each of
/// which has a run of its points:
///
/// - `Stored<points>`: neighbouring points as they lie in memory, made of words, of one level
///   unless levels differ in their points;
///   load<points>(arguments, row, first) reads them from global memory;
/// - `kExtraBytes`: bytes of a row that are read beside its locations and weights, which
///   extra(arguments, flat_row) points to; `Stored<points>::with(stored, extra, first, load)` adds
///   them to StoredPoints;
/// - place(stored, i, level, number) returns where point i is on the level of that number, `level`
///   as K::Sizes::at() returns it;
/// - `Mask`: an object for each thread that computes taps, made of the arguments: which pixels of
///   the stored values count. `Mask::kIsThere`: some may not. enter(flat_row) is called before it
///   is asked for taps of the row's image, share(level, x, y) returns 1 for a pixel that counts and
///   0 for another; the pixel is clamped to the level;
/// - `kJoinsRows`: points are made, and the weights of a row depend on all of its points;
///   about(arguments, flat_row) then returns where the points of a row are, roughly;
/// - `Row`: what they depend on; row_of(points) of a lane alone. points.operator()<n>(first)
///   returns Stored<n> of the row;
/// - weight(stored, i, row) returns the weight of point i;
/// - where rows are joined, weights_of_runs<lanes>(stored, exists, weights): called by all lanes of
///   the warp, of which `lanes` neighbours have a row together, each some runs of it. Leaves the
///   weights of this lane's points.
template <class Policy, class K>
concept PointsPolicy = requires(const Arguments& arguments,
                                const typename Policy::template Stored<1>& stored,
                                const typename Policy::Row& row, typename Policy::Mask& mask) {
  requires kConstant<int, Policy::kExtraBytes>;
  requires kConstant<bool, Policy::kJoinsRows>;
  {
    Policy::template load<1>(arguments, RowNumber{}, 0)
    } -> Same<typename Policy::template Stored<1>>;
  { Policy::extra(arguments, 0LL) } -> Same<const unsigned char*>;
  { Policy::place(stored, 0, typename K::Sizes(arguments).at(0), 0) } -> Same<Position>;
  requires kConstant<bool, Policy::Mask::kIsThere>;
  mask.enter(0LL);
  { mask.share(typename K::Sizes(arguments).at(0), 0, 0) } -> Same<float>;
  { Policy::weight(stored, 0, row) } -> Same<float>;
};

/// True where points are made. A policy of another family of skeletons may ask, too.
template <class K>
inline constexpr bool kMakesPoints = [] {
  if constexpr (requires { typename K::Points; }) return K::Points::kJoinsRows;
  return false;
}();

/// For policies of points without one: all pixels count.
struct NoMask {
  static constexpr bool kIsThere = false;
  __device__ explicit NoMask(const Arguments&) {}
  __device__ void enter(long long) {}
  template <class At>
  __device__ float share(const At&, int, int) const {
    return 1.0F;
  }
};

/// Default: locations and weights are the operator's tensors.
template <class K, class Parameters>
struct GivenPoints {
  static constexpr int kExtraBytes = 0;
  static constexpr bool kJoinsRows = false;
  struct Row {};
  using Mask = NoMask;

  template <int points>
  struct Stored : StoredPoints<typename K::Problem, points> {
    template <class Load>
    __device__ static Stored with(const StoredPoints<typename K::Problem, points>& stored,
                                  const unsigned char*, int, Load) {
      return {stored};
    }
  };

  template <int points>
  __device__ static Stored<points> load(const Arguments& arguments, RowNumber row, int first) {
    return {load_stored<K, points>(arguments, row, first)};
  }
  __device__ static const unsigned char* extra(const Arguments&, long long) { return nullptr; }
  template <class Points>
  __device__ static Row row_of(const Points&) {
    return {};
  }
  template <class Points, class At>
  __device__ static Position place(const Points& stored, int i, const At&, int /*number*/) {
    return stored.two(i);
  }
  template <class Points>
  __device__ static float weight(const Points& stored, int i, const Row&) {
    return stored.one(i);
  }
};

}  // namespace msda
