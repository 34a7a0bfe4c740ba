// Points made of offsets, logits and reference points: the policy of slot "points" with which the
// skeletons of `forward` compute `fused` (msda/operators/fused.hpp). Offsets and logits lie where
// `forward` has locations and weights, so that every way to fetch these fetches those.
//
//   weight   = exp(z - most) / sum over the row of exp(z - most), most: the largest of the row
//   place    = r.xy + o / (W_l, H_l)          a reference of 2 coordinates
//   place    = r.xy + o / P_l * r.wh * scale  of 4
//   place    = r.xy + o * scale_p * r.wh * scale  of 4, with scales for points
#pragma once

#include <msda/level_points.cuh>
#include <msda/level_sizes.cuh>
#include <msda/ptx/arithmetic.cuh>
#include <msda/ptx/memory.cuh>
#include <msda/simt/thread.cuh>
#include <msda/slots/layout.cuh>
#include <msda/slots/points.cuh>

namespace msda::fused {

struct Tensors {
  void* output;
  const void* references;
};
/// Of the kernels: the operator's tensors, offsets as locations and logits as weights.
struct Arguments : Tensors, msda::Arguments {};

struct Padding {
  const unsigned char* mask;  ///< [B, S]
};
struct PaddedArguments : Padding, Arguments {};
template <class Parameters>
using ArgumentsOf = Conditional<Parameters::padding, PaddedArguments, Arguments>;

/// The padding mask of an image: pixels as the problem stores them, wherever the values are read.
/// The arguments have it as `mask`.
template <class K>
class PaddingMask {
  using Layout = ProblemLayout<typename K::Problem>;

 public:
  static constexpr bool kIsThere = true;
  __device__ explicit PaddingMask(const msda::Arguments& arguments) : arguments_(&arguments) {}

  __device__ void enter(long long flat_row) {
    enter_image(flat_row / (arguments_->queries * K::Problem::kHeads));
  }
  __device__ void enter_image(long long image) {
    image_ = static_cast<const typename K::Arguments*>(arguments_)->mask +
             image * static_cast<long long>(typename K::Sizes(*arguments_).pixels());
  }
  template <class At>
  __device__ float share(const At& level, int x, int y) const {
    const int column = max(0, min(x, level.width() - 1));
    const int row = max(0, min(y, level.height() - 1));
    return ptx::ldg(image_ + pixel_of_image<Layout>(level, column, row)) == 0 ? 1.0F : 0.0F;
  }

 private:
  const msda::Arguments* arguments_;
  const unsigned char* image_ = nullptr;
};

/// Extents of a level, inverted. Of constant sizes without a division.
template <class Problem>
__device__ __forceinline__ Position inverse(const FixedLevel<Problem>& level) {
  Position inverted{1.0F / Problem::width(0), 1.0F / Problem::height(0)};
#pragma unroll
  for (int l = 1; l < Problem::kLevels; ++l) {
    if (level.number == l) inverted = {1.0F / Problem::width(l), 1.0F / Problem::height(l)};
  }
  return inverted;
}
__device__ __forceinline__ Position inverse(const LevelAt& level) {
  return {1.0F / static_cast<float>(level.width()), 1.0F / static_cast<float>(level.height())};
}

/// How the references of a query lie. `Parameters` has the element's type, `coordinates` (2 or 4),
/// and `anchors`: 0 for a reference for each level. A level's number of points is a multiple of
/// the anchors.
template <class K, class Parameters>
struct ReferenceLayout {
  using Problem = typename K::Problem;
  using Element = typename Parameters::Element;
  static constexpr int kCoordinates = Parameters::coordinates;
  static constexpr int kAnchors = Parameters::anchors;
  static constexpr int kPeriod = kAnchors == 0 ? 1 : kAnchors;  ///< points to the same anchor
  static constexpr int kCount = kAnchors == 0 ? Problem::kLevels : kAnchors;  ///< of a query
  static constexpr int kBytes = kCoordinates * static_cast<int>(sizeof(Element));
  static constexpr int kOfQuery = kCount * kBytes;  ///< bytes

  /// Whether `points` neighbouring points have one reference. Where levels differ in their points,
  /// neighbours may be of several.
  template <int points>
  static constexpr bool kOne = kAnchors == 1 ||
                               (kAnchors == 0 && (points == 1 || !kPointsDiffer<Problem>));
  /// References of `points` neighbouring points, each different one once.
  template <int points>
  static constexpr int kDifferent = kOne<points>                             ? 1
                                    : kAnchors != 0 && points % kPeriod == 0 ? kPeriod
                                                                             : points;
  /// Whether they are neighbours in memory, too.
  template <int points>
  static constexpr bool kTogether = kOne<points> || (kAnchors != 0 && (points % kPeriod == 0 ||
                                                                       kPeriod % points == 0));
  template <int points>
  static constexpr int kWordBytes = kTogether<points>
                                        ? widest_word(kDifferent<points>* kBytes, kOfQuery)
                                        : kBytes;

  /// Number of the reference of point `point`, counted through all levels.
  __device__ static int number(int point) {
    if constexpr (kAnchors == 0) return level_of<Problem>(point);
    if constexpr (kAnchors == 1) return 0;
    return point % kPeriod;
  }
};

template <class K, class Parameters>
struct Points {
  using Problem = typename K::Problem;
  using References = ReferenceLayout<K, Parameters>;
  static constexpr int kExtraBytes = References::kOfQuery;
  static constexpr bool kJoinsRows = true;
  static constexpr int kPointsOfRow = kRowPoints<Problem>;
  using Mask = Conditional<Parameters::padding, PaddingMask<K>, NoMask>;
  /// Whether points have scales of their own, `Parameters::scale_of(point)` of the row.
  static constexpr bool kScales = requires { Parameters::scale_of(0); };
  struct Nowhere {
    __device__ int operator+(int) const { return 0; }
  };

  /// Offsets and logits, and the references of these points.
  template <int points>
  struct Stored : StoredPoints<Problem, points> {
    static constexpr int kDifferent = References::template kDifferent<points>;
    static constexpr int kWordBytes = References::template kWordBytes<points>;
    static constexpr int kWords = kDifferent * References::kBytes / kWordBytes;
    using Word = ptx::Word<kWordBytes>;
    Word references[kWords];
    /// Of the row's points; known where a place depends on it.
    [[no_unique_address]] Conditional<kScales, int, Nowhere> first_point;

    /// `of_query`: the references of the row's query.
    template <class Load>
    __device__ static Stored with(const StoredPoints<Problem, points>& stored,
                                  const unsigned char* of_query, int first, Load load) {
      Stored all{stored, {}, {}};
      if constexpr (kScales) all.first_point = first;
#pragma unroll
      for (int w = 0; w < kWords; ++w) {
        const unsigned char* from = of_query;
        if constexpr (References::template kTogether<points>) {
          from += References::number(first) * References::kBytes + w * kWordBytes;
        } else {
          from += References::number(first + w) * References::kBytes;
        }
        all.references[w] = load(reinterpret_cast<const Word*>(from));
      }
      return all;
    }
    /// Coordinate k of point i's reference.
    __device__ float reference(int i, int k) const {
      const auto* element = reinterpret_cast<const typename References::Element*>(references);
      return to_float(element[i % kDifferent * References::kCoordinates + k]);
    }
  };

  /// References of a row's query.
  __device__ static const unsigned char* extra(const msda::Arguments& arguments,
                                               long long flat_row) {
    using Own = typename K::Arguments;  // those of the gradients have references, too
    return static_cast<const unsigned char*>(static_cast<const Own&>(arguments).references) +
           flat_row / Problem::kHeads * References::kOfQuery;
  }
  template <int points>
  __device__ static Stored<points> load(const msda::Arguments& arguments, RowNumber row,
                                        int first) {
    return Stored<points>::with(load_stored<K, points>(arguments, row, first),
                                extra(arguments, row), first,
                                [](const auto* p) { return ptx::ldg(p); });
  }

  template <class Stored, class At>
  __device__ static Position place(const Stored& stored, int i, const At& level, int number) {
    const Position offset = stored.two(i);
    Position unit;
    if constexpr (References::kCoordinates == 2) {
      unit = inverse(level);
    } else {
      const float of_box = part_of_box(stored.first_point + i, number);
      unit = {stored.reference(i, 2) * of_box, stored.reference(i, 3) * of_box};
    }
    return {fmaf(offset.x, unit.x, stored.reference(i, 0)),
            fmaf(offset.y, unit.y, stored.reference(i, 1))};
  }
  /// The first reference of the row's query.
  __device__ static Position about(const msda::Arguments& arguments, long long flat_row) {
    const auto* element =
        reinterpret_cast<const typename References::Element*>(extra(arguments, flat_row));
    return {to_float(element[0]), to_float(element[1])};
  }

  /// The softmax of a row. A row of minus infinity has NaN weights, as PyTorch's softmax has it.
  struct Row {
    float most;   ///< the largest logit, times log2(e)
    float share;  ///< one over the sum of powers
  };
  static constexpr float kLog2e = 1.44269504F;
  /// Rows need no largest logit where the largest of each lane lies in between: no sum of powers
  /// leaves the range of floats, and no power is lost that is 2^-60 of the sum or more. An
  /// exponent's rounding grows with it: weights of 32 bits have a narrower range. A shuffle takes
  /// as long as a read of shared memory, a vote next to nothing.
  static constexpr bool kNarrow = sizeof(typename K::Arithmetic::Weight) == 4;
  static constexpr float kLeast = kNarrow ? -8.0F : -40.0F;
  static constexpr float kMost = kNarrow ? 8.0F : 80.0F;
  __device__ static float power(float logit, float most) {
    return ptx::ex2(fmaf(logit, kLog2e, -most));
  }

  template <class Points>
  __device__ static Row row_of(const Points& points) {
    constexpr int kTogether = widest_word(16 / (2 * int{sizeof(typename Problem::Location)}),
                                          kPointsTogether<Problem>, kPointsOfRow);
    float logit[kPointsOfRow];
    float most = minus_infinity();
#pragma unroll
    for (int first = 0; first < kPointsOfRow; first += kTogether) {
      const auto stored = points.template operator()<kTogether>(first);
#pragma unroll
      for (int i = 0; i < kTogether; ++i) {
        logit[first + i] = stored.one(i);
        most = fmaxf(most, logit[first + i]);
      }
    }
    most *= kLog2e;
    float sum = 0.0F;
#pragma unroll
    for (int i = 0; i < kPointsOfRow; ++i) sum += power(logit[i], most);
    return {most, __fdividef(1.0F, sum)};
  }
  template <class Stored>
  __device__ static float weight(const Stored& stored, int i, const Row& row) {
    return power(stored.one(i), row.most) * row.share;
  }

  template <int lanes, int runs, int points>
  __device__ static void weights_of_runs(const Stored<points> (&stored)[runs],
                                         const bool (&exists)[runs],
                                         float (&weights)[runs][points]) {
    float most = minus_infinity();
    bool is_small = true;
#pragma unroll
    for (int r = 0; r < runs; ++r) {
#pragma unroll
      for (int i = 0; i < points; ++i) most = fmaxf(most, exists[r] ? stored[r].one(i) : most);
    }
    if (exists[0]) is_small = most > kLeast && most < kMost;
    if (simt::all_sync(is_small)) {
      most = 0.0F;
    } else {
#pragma unroll
      for (int step = 1; step < lanes; step *= 2) {
        most = fmaxf(most, simt::shfl_xor_sync(most, step));
      }
      // Rows that do not need it do without, as beside any others: a row's bits are its own.
      const unsigned large = simt::reduce_or_sync(is_small ? 0U : 1U << simt::lane());
      const bool is_small_row = (large & lanes_of_row<lanes>()) == 0;
      most = is_small_row ? 0.0F : most * kLog2e;
    }
    float sum = 0.0F;
#pragma unroll
    for (int r = 0; r < runs; ++r) {
#pragma unroll
      for (int i = 0; i < points; ++i) {
        weights[r][i] = power(stored[r].one(i), most);
        sum += exists[r] ? weights[r][i] : 0.0F;
      }
    }
#pragma unroll
    for (int step = 1; step < lanes; step *= 2) sum += simt::shfl_xor_sync(sum, step);
    const float share = __fdividef(1.0F, sum);
#pragma unroll
    for (int r = 0; r < runs; ++r) {
#pragma unroll
      for (int i = 0; i < points; ++i) weights[r][i] *= share;
    }
  }

  /// The part of a box that an offset of 1 moves point `point` of a row by, which is of `level`.
  __device__ static float part_of_box(int point, int level) {
    if constexpr (kScales) return Parameters::scale_of(point);
    float part = Parameters::scale / points_of<Problem>(0);
    if constexpr (kPointsDiffer<Problem>) {
#pragma unroll
      for (int l = 1; l < Problem::kLevels; ++l) {
        if (level == l) part = Parameters::scale / points_of<Problem>(l);
      }
    }
    return part;
  }

 private:
  /// A bit for each of the `lanes` neighbouring lanes of this lane's row.
  template <int lanes>
  __device__ static unsigned lanes_of_row() {
    constexpr unsigned kRow = lanes == simt::kWarpLanes ? ~0U : (1U << lanes % 32) - 1U;
    return kRow << simt::lane() / lanes * lanes;
  }
  __device__ static float minus_infinity() { return __uint_as_float(0xff800000U); }
};

}  // namespace msda::fused
