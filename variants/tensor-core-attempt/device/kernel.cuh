// MSDA as products of matrices: the output rows of 16 neighbouring queries are S * V, where V holds
// the pixels that any of them touches and S, 16 rows of weights, is dense enough where sampling is
// local. Levels where the touched pixels lie in too large a box are gathered point by point.
//
//   for each level
//     pixels and weights of all points, box                read_points, box_of
//     small box:  scatter the weights into patches of S   Weights::add
//                 sums += S * V for each touched patch    multiply
//     large box:  sums += weight * value for each corner  gather
#pragma once

#include <msda/launch.cuh>
#include <msda/simt/thread.cuh>
#include <msda/slots/schedule.cuh>

#include <tensor_core_attempt/strip.cuh>

namespace msda::tensor_core_attempt {

template <class K, class Parameters>
struct Kernel {
  using Problem = typename K::Problem;
  using OneStrip = Strip<Problem, static_cast<int>(Parameters::patches)>;
  static constexpr int kWarps = static_cast<int>(Parameters::warps);

  /// For work_item().
  struct Mapping {
    static constexpr int kChannelBlocks = Channels<Problem>::kBlocks;
  };
  static constexpr LaunchShape kShape = {
      .threads = kWarps * simt::kWarpLanes,
      .planes = static_cast<unsigned>(Problem::kHeads * Mapping::kChannelBlocks),
      .rows_per_query = 1,
      .rows_per_item = kWarps * kRows};
  struct Storage {
    typename OneStrip::Storage strip[kWarps];
  };

  /// The warps of a block work independently, on neighbouring strips.
  __device__ static void run(const ForwardArguments& arguments, Storage& storage) {
    const WorkItem item = work_item<Kernel>(arguments, kShape, simt::block());
    const int warp = static_cast<int>(simt::warp());
    const long long first = item.first + warp * kRows;
    if (first >= item.last) return;
    OneStrip(arguments, item, first, storage.strip[warp]).compute();
  }
};

}  // namespace msda::tensor_core_attempt
