// The pass before the kernel: a block sorts the points of a share of the queries on one level by
// their cells. It counts the points of each cell in shared memory, adds the counts up, and goes
// through the points again. Warps then take turns in asking for places, and so a cell's points keep
// their order.
#pragma once

#include <backward/points_of_level.cuh>
#include <msda/ptx/flag.cuh>
#include <msda/skeleton/plan.cuh>
#include <msda/skeleton/stored_levels.cuh>
#include <sorted_points/lists.cuh>

namespace msda::sorted_points {

template <class K, class Parameters>
class SortPoints {
  using Problem = typename K::Problem;
  using Layout = typename K::Layout;
  using Lists = sorted_points::Lists<K, Parameters>;
  /// Few: four blocks of a multiprocessor have turns that do not wait for each other.
  static constexpr int kThreads = 256;
  static constexpr int kWarps = kThreads / simt::kWarpLanes;
  static constexpr int kLevels = Problem::kLevels;
  /// Points of a thread at a time: all loads are issued before a warp waits for its turn.
  static constexpr int kTogether = 4;
  static constexpr int kNone = 0x7fffffff;
  /// Cells that a block sorts by at most. A level of more is sorted in bands, each by another
  /// block, which looks at all points.
  static constexpr int kMostCells = [] {
    constexpr int kFit = static_cast<int>(Parameters::budget) * 1024 / 4;
    if constexpr (K::Sizes::kFixed) {
      int largest = 1;
      for (int l = 0; l < kLevels; ++l) {
        if (Layout::pixels(l) > largest) largest = Layout::pixels(l);
      }
      return largest < kFit ? largest : kFit;
    }
    return kFit;
  }();
  struct NoTable {};

  /// Neighbouring cells of a level, and the points of which these are asked for.
  struct Band {
    long long image;
    int head;
    int share;
    int level;
    int first;
    int count;
    bool is_last;
  };

 public:
  struct Storage {
    /// Where stored sizes lie: at the beginning.
    Conditional<K::Sizes::kStored, LevelTable, NoTable> levels;
    unsigned cells[kMostCells];  ///< points of each, then the place of the next one
    unsigned of_warp[kWarps];
    unsigned before;  ///< points of cells before the band
    unsigned turns;   ///< that warps have finished
  };

  static constexpr LaunchShape kShape = [] {
    if (!backward::kIsAsked<K, backward::kGradValue>) return LaunchShape{};
    constexpr unsigned kFit = 227 * 1024 / (sizeof(Storage) + 1024);
    return grid_stride_shape(kThreads, kFit < 1 ? 1 : kFit > 4 ? 4 : kFit);
  }();

  __device__ static void run(const backward::Arguments& arguments, Storage& storage) {
    if constexpr (!backward::kIsAsked<K, backward::kGradValue>) return;
    if constexpr (K::Sizes::kStored) {
      if (read_levels<K>(arguments, ResidentBudget{}, 0) == kNoPyramid) return;
    }
    const typename K::Sizes sizes(arguments);
    int bands = 0;
    for (int l = 0; l < kLevels; ++l) bands += bands_of(sizes, l);
    const long long items = arguments.batch * Problem::kHeads * Lists::kShares * bands;
    for (long long item = simt::block(); item < items; item += simt::blocks()) {
      const long long list = item / bands;
      Band band = band_of(sizes, static_cast<int>(item % bands));
      band.share = static_cast<int>(list % Lists::kShares);
      band.head = static_cast<int>(list / Lists::kShares % Problem::kHeads);
      band.image = list / (Lists::kShares * Problem::kHeads);
      SortPoints(arguments, storage, band).sort();
    }
  }

 private:
  __device__ SortPoints(const backward::Arguments& arguments, Storage& storage, const Band& band)
      : storage_(storage),
        band_(band),
        points_(arguments, band.image, band.head, band.level),
        lists_(arguments, band.image, band.head, band.level),
        start_(start_of<Layout>(typename K::Sizes(arguments).at(band.level))) {
    constexpr int kPoints = backward::PointsOfLevel<K>::kPoints;
    first_ = static_cast<unsigned>(lists_.first_query(band.share)) * kPoints;
    last_ = static_cast<unsigned>(lists_.first_query(band.share + 1)) * kPoints;
  }

  __device__ static int bands_of(const typename K::Sizes& sizes, int level) {
    return (pixels_of<Layout>(sizes.at(level)) + kMostCells - 1) / kMostCells;
  }
  /// Band `number` of an image, but for image, head and share.
  __device__ static Band band_of(const typename K::Sizes& sizes, int number) {
    Band band = {};
    while (number >= bands_of(sizes, band.level)) number -= bands_of(sizes, band.level++);
    const int cells = pixels_of<Layout>(sizes.at(band.level));
    band.first = number * kMostCells;
    band.count = min(kMostCells, cells - band.first);
    band.is_last = band.first + band.count == cells;
    return band;
  }

  /// Called by all threads of the block.
  __device__ void sort() {
    for (int c = static_cast<int>(simt::thread()); c < band_.count; c += kThreads) {
      storage_.cells[c] = 0;
    }
    if (simt::thread() == 0) storage_.before = storage_.turns = 0;
    simt::syncthreads();
    count();
    simt::syncthreads();
    add_up();
    simt::syncthreads();
    place();
    simt::syncthreads();  // places have been asked for, and the next band may begin
  }

  /// The cell of a point, seen from the band's first one: negative in bands before, kNone: nowhere.
  __device__ int cell_of(const backward::Cell& cell) const {
    if (cell.x == backward::kAway) return kNone;
    return static_cast<int>(backward::pixel_of<K>(cell)) - start_ - band_.first;
  }
  __device__ backward::Cell look_at(unsigned point) const {
    backward::Cell nowhere = {};
    nowhere.x = backward::kAway;
    return has(point) ? points_.cell(point) : nowhere;
  }
  __device__ bool has(unsigned point) const { return point < last_ && points_.exists(point); }

  __device__ void count() {
    unsigned before = 0;
    for (unsigned at = first_ + simt::thread(); at < last_; at += kTogether * kThreads) {
      int cell[kTogether];
#pragma unroll
      for (int n = 0; n < kTogether; ++n) cell[n] = cell_of(look_at(at + n * kThreads));
#pragma unroll
      for (int n = 0; n < kTogether; ++n) {
        if (cell[n] < 0) ++before;
        if (cell[n] >= 0 && cell[n] < band_.count) simt::atomic_add(&storage_.cells[cell[n]], 1U);
      }
    }
    if (before != 0) simt::atomic_add(&storage_.before, before);
  }

  /// Replaces each count by the number of points in all cells before, and writes these.
  __device__ void add_up() {
    const int lane = static_cast<int>(simt::lane());
    const int warp = static_cast<int>(simt::warp());
    const int rows = (band_.count + simt::kWarpLanes - 1) / simt::kWarpLanes;
    const int rows_of_warp = (rows + kWarps - 1) / kWarps;
    const int first = min(warp * rows_of_warp * simt::kWarpLanes, band_.count);
    const int last = min(first + rows_of_warp * simt::kWarpLanes, band_.count);
    unsigned own = 0;
    for (int c = first + lane; c < last; c += simt::kWarpLanes) own += storage_.cells[c];
    own = simt::warp_reduce(own, [](unsigned a, unsigned b) { return a + b; });
    if (lane == 0) storage_.of_warp[warp] = own;
    simt::syncthreads();
    unsigned before = storage_.before;
    for (int w = 0; w < warp; ++w) before += storage_.of_warp[w];
    unsigned* const places = lists_.places(band_.share) + band_.first;
    for (int row = first; row < last; row += simt::kWarpLanes) {
      const int c = row + lane;
      const unsigned count = c < last ? storage_.cells[c] : 0;
      const unsigned through = simt::warp_inclusive_sum(count);
      if (c < last) places[c] = storage_.cells[c] = before + through - count;
      before += simt::shfl_sync(through, simt::kWarpLanes - 1);
    }
    if (band_.is_last && warp == kWarps - 1 && lane == 0) places[band_.count] = before;
  }

  /// Writes the entries of the band's points.
  __device__ void place() {
    constexpr unsigned kOfWarp = kTogether * simt::kWarpLanes;
    Entry* const entries = lists_.entries() + lists_.first_entry(band_.share);
    unsigned turn = simt::warp();
    for (unsigned tile = first_; tile < last_; tile += kWarps * kOfWarp, turn += kWarps) {
      const unsigned at = tile + simt::warp() * kOfWarp + simt::lane();
      Entry entry[kTogether];
      int cell[kTogether];
#pragma unroll
      for (int n = 0; n < kTogether; ++n) {
        const unsigned point = at + n * simt::kWarpLanes;
        const backward::Cell found = look_at(point);
        cell[n] = cell_of(found);
        if (cell[n] < 0 || cell[n] >= band_.count) cell[n] = kNone;
        // The weight is loaded whatever the cell is, so that it waits for memory with the location.
        const float lost = __uint_as_float(0x7fffffffU);
        entry[n] = {has(point) ? points_.attention(point, lost) : 0.0F, found.x, found.y,
                    point / backward::PointsOfLevel<K>::kPoints};
      }
      unsigned places[kTogether];
      ask_for(cell, turn, places);
#pragma unroll
      for (int n = 0; n < kTogether; ++n) {
        if (cell[n] == kNone) continue;
        Vector<unsigned, 4> words = {__float_as_uint(entry[n].weight), __float_as_uint(entry[n].x),
                                     __float_as_uint(entry[n].y), entry[n].query};
        words.write(entries + places[n], [](auto* p, auto word) { *p = word; });
      }
    }
  }

  /// The places of a warp's points, which lie one behind the other lane by lane, and then `n` by
  /// `n`. Called by all lanes of each warp, which has turn `turn`.
  __device__ void ask_for(const int (&cell)[kTogether], unsigned turn,
                          unsigned (&places)[kTogether]) {
    unsigned peers[kTogether];
#pragma unroll
    for (int n = 0; n < kTogether; ++n) peers[n] = simt::match_any_sync(cell[n]);
    if (simt::lane() == 0) ptx::wait_for_flag(&storage_.turns, turn);
    simt::syncwarp();
#pragma unroll
    for (int n = 0; n < kTogether; ++n) {
      const bool is_first = static_cast<int>(simt::lane()) == simt::lowest_bit(peers[n]);
      places[n] = 0;
      if (cell[n] != kNone && is_first) {
        places[n] =
            simt::atomic_add(&storage_.cells[cell[n]], static_cast<unsigned>(__popc(peers[n])));
      }
      simt::syncwarp();  // the next n comes after this one
    }
    if (simt::lane() == 0) ptx::red_release_add(&storage_.turns);
    const unsigned below = (1U << simt::lane()) - 1U;
#pragma unroll
    for (int n = 0; n < kTogether; ++n) {
      places[n] = simt::shfl_sync(places[n], simt::lowest_bit(peers[n])) +
                  static_cast<unsigned>(__popc(peers[n] & below));
    }
  }

  Storage& storage_;
  const Band& band_;
  backward::PointsOfLevel<K> points_;
  Lists lists_;
  int start_;       ///< stored pixels of the image before the level
  unsigned first_;  ///< point of the share, and the one behind its last
  unsigned last_;
};

}  // namespace msda::sorted_points
