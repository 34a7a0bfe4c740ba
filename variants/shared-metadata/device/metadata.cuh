// Every point's taps are computed by one thread and read by all lanes of its row from shared
// memory, several points per read. Where whole rows lie in a warp, that warp computes its own rows'
// taps and only it waits; otherwise the block does.
#pragma once

#include <msda/parts/metadata_threads.cuh>
#include <msda/slots/metadata.cuh>
#include <msda/vector.cuh>
#include <msda/walk.cuh>
#include <shared_metadata/compact.cuh>
#include <shared_metadata/format.cuh>

namespace msda::shared_metadata {
template <class K, class Parameters>
class Metadata;
}  // namespace msda::shared_metadata

namespace msda {
template <class K, class Parameters>
inline constexpr bool kIsCooperative<shared_metadata::Metadata<K, Parameters>> = true;
}  // namespace msda

namespace msda::shared_metadata {

template <class K, class Parameters>
class Metadata {
  using Mapping = typename K::Mapping;
  using Problem = typename K::Problem;
  using Runs = PointRuns<K>;

 public:
  static constexpr const char* idle() {
    return K::Mapping::kLanesPerSide == 1 ? "a row has one lane, which alone reads its taps"
                                          : nullptr;
  }
  static constexpr bool kIsCooperative = true;
  using Row =
      Conditional<Parameters::compact && can_compact<K>(), CompactRow<K>,
                  Conditional<Parameters::packed && can_pack<K>(), PackedRow<K>, PlainRow<K>>>;
  struct alignas(128) Buffer {
    Row row[kTileRows<K>];
  };
  struct Storage {
    Buffer buffer[kTapBuffers<K>];
  };

  __device__ Metadata(const Arguments& arguments, Storage& storage)
      : storage_(storage), buffer_(storage.buffer), sizes_(arguments), mask_(arguments) {
    if constexpr (kKeepsLevels) {
#pragma unroll
      for (int n = 0; n < Runs::kRunsPerThread; ++n) {
        // A consumer beside producers has no runs, and a negative number among their threads.
        level_[n] = sizes_.at(max(Runs::run(n).level, 0));
      }
    }
  }

  __device__ void use_buffer(int n) { buffer_ = storage_.buffer + n; }

  __device__ typename K::Source::Offset offset(int row_in_tile, int point) const {
    return buffer_->row[row_in_tile].offset(point);
  }

  template <class PointFetch, class FlatRow>
  __device__ void enter(const PointFetch& point_fetch, const FlatRow& flat_row) {
    // A few producer warps have many runs each: all of them at a time would not fit their
    // registers.
    constexpr int kUnrolledRuns = Runs::kRunsPerThread <= 4 ? Runs::kRunsPerThread : 2;
    MetadataThreads<K>::sync();  // the taps of the tile before have been read
    if constexpr (K::Points::Mask::kIsThere) mask_.enter(flat_row(0));
#pragma unroll(kUnrolledRuns)
    for (int n = 0; n < Runs::kRunsPerThread; n += Runs::kRunsTogether) {
      if constexpr (Runs::kJoinsLanes) {
        join(point_fetch, flat_row, n);
      } else {
        const auto run = Runs::run(n);
        if (!run.exists) continue;
        const auto& stored = point_fetch.run(flat_row(run.row), n);
        const auto row = K::Points::row_of([&]<int points>(int first) {
          return point_fetch.template points<points>(flat_row(run.row), run.row, first);
        });
        write(run, n, stored, [&](int p) { return K::Points::weight(stored, p, row); });
      }
    }
    MetadataThreads<K>::sync();
  }

  template <int level, int points, class PointFetch>
  __device__ void read(const PointFetch&, long long /*flat_row*/, int row_in_tile, int point,
                       Taps<K> (&taps)[kBatch<K>]) const {
    // Batches begin at multiples of the batch's points, and levels at multiples of the divisor.
    constexpr int kMultiple = common_divisor(kPointsDivisor<Problem>, K::Unroll::kPoints);
    buffer_->row[row_in_tile].template read<points, kMultiple>(first_point<Problem>(level) + point,
                                                               taps);
  }

 private:
  using Stored = typename K::Points::template Stored<Runs::kPoints>;

  /// The taps of this thread's runs of one row, from its n-th on. All lanes call it, and take part
  /// in what is summed over rows.
  template <class PointFetch, class FlatRow>
  __device__ void join(const PointFetch& point_fetch, const FlatRow& flat_row, int n) {
    constexpr int kRuns = Runs::kRunsTogether;
    Stored stored[kRuns] = {};
    bool exists[kRuns];
#pragma unroll
    for (int r = 0; r < kRuns; ++r) {
      const auto run = Runs::run(n + r);
      exists[r] = run.exists;
      if (run.exists) stored[r] = point_fetch.run(flat_row(run.row), n + r);
    }
    float weights[kRuns][Runs::kPoints];
    K::Points::template weights_of_runs<Runs::kLanesOfRow>(stored, exists, weights);
#pragma unroll
    for (int r = 0; r < kRuns; ++r) {
      if (!exists[r]) continue;
      write(Runs::run(n + r), n + r, stored[r], [&](int p) { return weights[r][p]; });
    }
  }

  /// The taps of this thread's n-th run.
  template <class WeightOf>
  __device__ void write(const typename Runs::Run& run, int n, const Stored& stored,
                        const WeightOf& weight_of) {
    alignas(16) typename Row::Entry entries[Mapping::kSides][Runs::kPoints];
#pragma unroll
    for (int p = 0; p < Runs::kPoints; ++p) {
      const int level = kPointsDiffer<Problem> ? level_of<Problem>(run.first + p) : run.level;
      const auto size = size_of(n, level);
      const Position place = K::Points::place(stored, p, size, level);
      const Point point{place.x, place.y, weight_of(p)};
#pragma unroll
      for (int side = 0; side < Mapping::kSides; ++side) {
        entries[side][p] = Row::entry(point, size, side, mask_);
      }
    }
    buffer_->row[run.row].template write<Runs::kPoints>(run.first, entries);
  }

  /// A thread's runs are of the same levels in every tile: levels of run-time sizes are looked up
  /// once, unless a run may have points of several, runs are so many that their levels would not
  /// stay in registers, or the sizes come later.
  static constexpr bool kKeepsLevels = !K::Sizes::kFixed && !K::kStructure.by_warp &&
                                       !kPointsDiffer<Problem> && Runs::kRunsPerThread <= 4;
  struct Nothing {};
  using Levels = Conditional<kKeepsLevels, LevelAt[Runs::kRunsPerThread], Nothing>;

  __device__ auto size_of(int n, int level) const {
    if constexpr (kKeepsLevels) return level_[n];
    if constexpr (!kKeepsLevels) return sizes_.at(level);
  }

  Storage& storage_;
  Buffer* buffer_;
  typename K::Sizes sizes_;
  typename K::Points::Mask mask_;
  Levels level_;
};

}  // namespace msda::shared_metadata
