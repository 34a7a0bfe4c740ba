// A pre-pass computes the taps of every point once and writes them to memory; the main kernel only
// reads. What it saves in arithmetic it pays in traffic: 8 to 32 bytes for each point and side.
#pragma once

#include <msda/simt/thread.cuh>
#include <msda/slots/metadata.cuh>
#include <msda/slots/pipeline.cuh>

namespace msda::precomputed_weights {

template <class Problem, class Parameters>
struct Metadata {
  static constexpr Slot kSlot = kMetadata;
  static constexpr bool kIsCooperative = false;
  static constexpr int kPointsPerRow = Problem::kLevels * Problem::kPoints;
  template <class K>
  static constexpr unsigned kSharedBytes = 0;

  /// Taps [row][side][point].
  template <class K>
  static constexpr Extent kWorkspace = {
      0, 0,
      static_cast<long long>(Problem::kHeads* K::Mapping::kSides* kPointsPerRow * sizeof(Taps<K>))};

  static constexpr unsigned kThreads = 256;
  template <class K>
  static constexpr LaunchShape kPrepassShape = grid_stride_shape(kThreads, 8);

  template <class K>
  __device__ static void prepass(const Arguments& arguments, unsigned char* shared) {
    const typename DirectPipeline<Problem, Parameters>::template Reader<K> samples(arguments,
                                                                                   shared);
    auto* taps = static_cast<Taps<K>*>(arguments.workspace[kSlot]);
    const long long count = arguments.batch * arguments.queries * Problem::kHeads * kPointsPerRow;
    const long long stride = static_cast<long long>(simt::blocks()) * kThreads;
    for (long long i = static_cast<long long>(simt::block()) * kThreads + simt::thread(); i < count;
         i += stride) {
      const long long row = i / kPointsPerRow;
      const int in_row = static_cast<int>(i % kPointsPerRow);
      const int level = in_row / Problem::kPoints;
      const Sample sample = samples.sample(row, 0, in_row);
#pragma unroll
      for (int side = 0; side < K::Mapping::kSides; ++side) {
        taps[(row * K::Mapping::kSides + side) * kPointsPerRow + in_row] =
            make_taps<K>(sample, level, side);
      }
    }
  }

  template <class K>
  class Reader : public InlineMetadata<Problem, Parameters>::template Reader<K> {
    using Base = typename InlineMetadata<Problem, Parameters>::template Reader<K>;

   public:
    __device__ Reader(const Arguments& arguments, unsigned char* shared)
        : Base(arguments, shared), taps_(static_cast<const Taps<K>*>(arguments.workspace[kSlot])) {}

    template <int level, int points, class Samples>
    __device__ void read(const Samples& samples, long long flat_row, int row_in_tile, int point,
                         Taps<K> (&taps)[points]) const {
      static_cast<void>(samples);
      static_cast<void>(row_in_tile);
      constexpr int kTap = static_cast<int>(sizeof(Taps<K>));
      constexpr bool kAligned = kTap % 16 == 0 || (Problem::kPoints % 2 == 0 && points % 2 == 0);
      using Word = ptx::Word<kAligned ? 16 : 8>;
      const long long first = (flat_row * K::Mapping::kSides + K::Mapping::side()) * kPointsPerRow +
                              level * Problem::kPoints + point;
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
};

}  // namespace msda::precomputed_weights
