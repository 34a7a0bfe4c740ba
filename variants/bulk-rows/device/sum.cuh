// The products of a point's corners are made in shared memory, and one lane adds a corner's row to
// global memory with one bulk reduction, in place of reds of all lanes (PTX ISA,
// "cp.reduce.async.bulk"). The costly way, kept to show.
#pragma once

#include <backward/sum.cuh>
#include <msda/ptx/bulk_copy.cuh>

namespace msda::bulk_rows {

/// Of a corner's row of sums.
template <class K>
inline constexpr int kRowBytes =
    K::Problem::kChannels* static_cast<int>(sizeof(typename K::Accumulator::Element));

/// What a lane adds to a corner with one instruction.
template <class K>
using Products = decltype(K::Accumulator::products(
    1.0F,
    K::Accumulator::gradient(Vector<typename K::Problem::Output, K::RedMap::kVector>(), 1.0F)));

/// The type of a vector's elements.
template <class T, int n>
__device__ T number_of(const Vector<T, n>&);

/// Why rows are not reduced in bulk, or null.
template <class K>
constexpr const char* refusal() {
  constexpr int kUnit = 16;
  if constexpr (!requires(const Products<K>& products) { K::Accumulator::addends(products); }) {
    return "a lane has one of two channels that are added as one number";
  }
  if (kRowBytes<K> % kUnit != 0) return "the bytes of a corner's row are no multiple of 16";
  return nullptr;
}

/// Rows in shared memory. A warp has `buffers` of them for each of its rows of points, and takes
/// one after the other for its points, so that reductions of some still read while the next is
/// written.
template <class K, int buffers>
class StagedRows {
  using Accumulator = typename K::Accumulator;
  using Element = typename Accumulator::Element;
  using Map = typename K::RedMap;
  using Number =
      decltype(number_of(Accumulator::addends(*static_cast<const Products<K>*>(nullptr))));
  static constexpr int kCorners = 4;
  static constexpr int kWarps = K::Lanes::kThreads / simt::kWarpLanes;
  /// The products of a point.
  struct Point {
    Number row[kCorners][kRowBytes<K> / static_cast<int>(sizeof(Number))];
  };

 public:
  static constexpr bool kOneHead = false;
  struct Storage {
    alignas(128) Point point[kWarps][buffers][K::Lanes::kWarpRows];
  };

  __device__ StagedRows(const backward::Arguments& arguments, Storage& storage)
      : arguments_(arguments), storage_(storage) {}
  __device__ void enter(const WorkItem&) {}
  /// The block may end afterwards. That the sums are there the end of the kernel tells.
  __device__ void leave(const WorkItem&) { ptx::cp_async_bulk_wait_group_read<0>(); }
  __device__ void begin_row(long long image, long long row, int head) {
    reds_.begin_row(arguments_, image, row, head, Accumulator::scale(arguments_, image, head));
  }
  template <class Level>
  __device__ void add(const Level& level, const backward::Cell& cell) {
    Point& point = storage_.point[simt::warp()][buffer_][Place<K>::warp_row()];
    buffer_ = (buffer_ + 1) % buffers;
    ptx::cp_async_bulk_wait_group_read<buffers - 1>();
    simt::syncwarp();  // all lanes know that the buffer has been read
    reds_.each_corner(level, cell, [&](int corner, float weight, Element*) {
      auto* const row =
          reinterpret_cast<Element*>(point.row[corner]) + Map::chunk(0) * Map::kVector;
      reds_.each_vector(weight, [&](int channel, const auto& products) {
        Accumulator::addends(products).write(row + channel, [](auto* p, auto word) { *p = word; });
      });
    });
    simt::syncwarp();
    ptx::fence_proxy_async();
    if (Map::chunk(0) == 0) {
      reds_.each_corner(level, cell, [&](int corner, float, Element* sums) {
        ptx::cp_reduce_async_bulk_add(reinterpret_cast<Number*>(sums), point.row[corner],
                                      static_cast<unsigned>(kRowBytes<K>));
      });
    }
    ptx::cp_async_bulk_commit_group();
  }

 private:
  const backward::Arguments& arguments_;
  Storage& storage_;
  RowReds<K> reds_;
  int buffer_ = 0;  ///< of the next point
};

/// Where rows cannot be reduced in bulk: reds.
template <class K, class Parameters, bool in_bulk>
struct SumOf {
  using Type = L2RedSum<K, Parameters>;
};
template <class K, class Parameters>
struct SumOf<K, Parameters, true> {
  using Type = StagedRows<K, static_cast<int>(Parameters::buffers)>;
};

template <class K, class Parameters>
struct Sum : SumOf<K, Parameters, refusal<K>() == nullptr>::Type {
  using Base = typename SumOf<K, Parameters, refusal<K>() == nullptr>::Type;
  using Base::Base;
  static constexpr const char* idle() { return refusal<K>(); }
};

}  // namespace msda::bulk_rows
