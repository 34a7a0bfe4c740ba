// A pre-pass computes the taps of every point once and writes them to memory; the main kernel only
// reads. Less arithmetic costs more traffic: 8 to 32 bytes for each point and side.
#pragma once

#include <msda/simt/thread.cuh>
#include <msda/slots/metadata.cuh>
#include <msda/slots/points.cuh>

namespace msda::precomputed_weights {

template <class K, class Parameters>
class Metadata : public InlineMetadata<K, Parameters> {
  using Problem = typename K::Problem;
  using Inline = InlineMetadata<K, Parameters>;
  static constexpr int kSides = K::Mapping::kSides;
  static constexpr int kPointsPerRow = kRowPoints<Problem>;

 public:
  static constexpr const char* idle() {
    return K::Mapping::kLanesPerSide == 1 ? "a row has one lane, which alone reads its taps"
                                          : nullptr;
  }
  using typename Inline::Storage;

  /// Taps [row][side][point].
  static constexpr Extent kWorkspace = {.per_query = static_cast<long long>(sizeof(Taps<K>)) *
                                                     Problem::kHeads * kSides * kPointsPerRow};

  struct Prepass {
    static constexpr unsigned kThreads = 256;
    static constexpr LaunchShape kShape = grid_stride_shape(kThreads, 8);
    struct Storage {};

    __device__ static void run(const Arguments& arguments, Storage&) {
      auto* taps = static_cast<Taps<K>*>(arguments.workspace[kMetadata]);
      const long long count = arguments.batch * arguments.queries * Problem::kHeads * kPointsPerRow;
      const long long stride = static_cast<long long>(simt::blocks()) * kThreads;
      typename K::Points::Mask mask(arguments);
      for (long long i = static_cast<long long>(simt::block()) * kThreads + simt::thread();
           i < count; i += stride) {
        const long long row = i / kPointsPerRow;
        const int in_row = static_cast<int>(i % kPointsPerRow);
        const int level = level_of<Problem>(in_row);
        const auto at = typename K::Sizes(arguments).at(level);
        const auto points = [&]<int n>(int first) {
          return K::Points::template load<n>(arguments, {row, 0}, first);
        };
        const auto stored = points.template operator()<1>(in_row);
        const Position place = K::Points::place(stored, 0, at, level);
        const Point point{place.x, place.y,
                          K::Points::weight(stored, 0, K::Points::row_of(points))};
        mask.enter(row);
#pragma unroll
        for (int side = 0; side < kSides; ++side) {
          taps[(row * kSides + side) * kPointsPerRow + in_row] =
              make_taps<K>(point, at, side, mask);
        }
      }
    }
  };

  __device__ Metadata(const Arguments& arguments, Storage& storage)
      : Inline(arguments, storage),
        taps_(static_cast<const Taps<K>*>(arguments.workspace[kMetadata])) {}

  /// Its own taps are there.
  template <class PointFetch, class FlatRow>
  __device__ void enter(const PointFetch&, const FlatRow&) {}

  template <int level, int points, class PointFetch>
  __device__ void read(const PointFetch&, long long flat_row, int /*row_in_tile*/, int point,
                       Taps<K> (&taps)[kBatch<K>]) const {
    constexpr int kTap = static_cast<int>(sizeof(Taps<K>));
    constexpr bool kAligned =
        kTap % 16 == 0 || (kPointsDivisor<Problem> % 2 == 0 && points % 2 == 0);
    using Word = ptx::Word<kAligned ? 16 : 8>;
    const long long first = (flat_row * kSides + K::Mapping::side()) * kPointsPerRow +
                            first_point<Problem>(level) + point;
    const auto* from = reinterpret_cast<const Word*>(taps_ + first);
    auto* to = reinterpret_cast<Word*>(taps);
#pragma unroll
    for (int w = 0; w < points * kTap / static_cast<int>(sizeof(Word)); ++w) {
      to[w] = K::Cache::load_stream(from + w);
    }
  }

 private:
  const Taps<K>* taps_;
};

}  // namespace msda::precomputed_weights
