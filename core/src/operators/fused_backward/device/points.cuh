// The policy of slot "points" with which the skeleton of `backward` computes `fused-backward`
// (msda/operators/fused_backward.hpp). Points are made of offsets, logits and reference points as
// `fused` makes them, and their gradients, which stay in shared memory until a row is finished, are
// those of offsets, logits and reference points. With w a point's weight, dw the gradient of that,
// and d the gradient of the point's place on the image, 0 to 1:
//
//   grad_logits[i]    = w[i] * (dw[i] - sum over the row of w * dw)
//   grad_offsets[i]   = d[i] / (W_l, H_l), or d[i] / P * r.wh * scale
//   grad_reference.xy = sum over heads and points of d
//   grad_reference.wh = sum over heads and points of d * o / P * scale
//
// A row of levels that are apart is finished by a pass after the kernel: the sum over the row has
// points of several work items.
#pragma once

#include <fused_backward/arguments.cuh>
#include <fused_backward/lost_rows.cuh>
#include <fused_backward/passes.cuh>
#include <fused_backward/row_lanes.cuh>

namespace msda::fused_backward {

/// What a lane has of its points at the end of a row.
template <int runs, int points>
struct OfPoints {
  float weight[runs][points];
  float of_weight[runs][points];
  Position of_pixel[runs][points];  ///< of the coordinates in pixels
};

template <class K, class Parameters>
struct Points : MadePoints<K, Parameters>, PassOf<K, Parameters> {
  using Made = MadePoints<K, Parameters>;
  using Problem = typename K::Problem;
  using References = typename Made::References;
  using Sums = ReferenceSums<K, Parameters>;
  static constexpr bool kAsksForMore = kAsksForReferences<K>;

  /// Called by all lanes of a warp, converged. A row without a weight that is a number has no
  /// points here: lose() finishes it.
  template <int warp_rows, int row_cells, class Rows>
  __device__ static void make_cells(const msda::Arguments& arguments,
                                    backward::Cell (&cells)[warp_rows][row_cells], const Rows& rows,
                                    int level) {
    constexpr int kLanes = K::Lanes::kLanes;
    constexpr int kItemPoints = row_cells - 1;  // the last one is no point's
    const int item_points = points_of_item(level);
    using Runs = RunsOfLane<Problem, kLanes, Made::kPointsOfRow>;
    const int own = Place<K>::warp_row();
    const RowNumber number{rows.number(own), 0};
    typename Made::template Stored<Runs::kTogether> stored[Runs::kRuns];
    bool exists[Runs::kRuns];
#pragma unroll
    for (int n = 0; n < Runs::kRuns; ++n) {
      exists[n] = Runs::first(n) < Made::kPointsOfRow;
      stored[n] =
          Made::template load<Runs::kTogether>(arguments, number, exists[n] ? Runs::first(n) : 0);
    }
    float weights[Runs::kRuns][Runs::kTogether];
    Made::template weights_of_runs<kLanes>(stored, exists, weights);
    const bool is_lost = !(weights[0][0] >= 0.0F);
    simt::syncwarp();  // the rows before have been read
    const typename K::Sizes sizes(arguments);
    typename Made::Mask mask(arguments);
    if constexpr (Made::Mask::kIsThere) mask.enter(rows.number(own));
#pragma unroll
    for (int n = 0; n < Runs::kRuns; ++n) {
      const int first = Runs::first(n) - first_point<Problem>(level);
      if (!exists[n] || first < 0 || first >= item_points) continue;
      const int number_on = level_of<Problem>(Runs::first(n));
      const auto on = sizes.at(number_on);
#pragma unroll
      for (int i = 0; i < Runs::kTogether; ++i) {
        const Position at = Made::place(stored[n], i, on, number_on);
        const bool counts = rows.exists(own) && !is_lost;
        backward::Cell cell = backward::make_cell<K>(
            {counts ? at.x : backward::kNowhere, at.y, weights[n][i]}, on, mask);
        // The row's sum needs the weights of points that do not count, too.
        cell.weight = is_lost ? 0.0F : weights[n][i];
        cells[own][first + i] = cell;
      }
    }
    if (Place<K>::lane() == 0) cells[own][kItemPoints].weight = is_lost ? 1.0F : 0.0F;
    simt::syncwarp();
  }

  /// Called by all lanes of a warp, converged, when the cells of their rows are kept points.
  __device__ static void finish_row(const backward::Arguments& arguments, backward::Cell* cells,
                                    long long row, bool exists, int level) {
    constexpr int kItemPoints = backward::Cells<K>::kPoints;
    using Runs = RunsOfLane<Problem, K::Lanes::kLanes, kItemPoints>;
    OfPoints<Runs::kRuns, Runs::kTogether> of;
    simt::syncwarp();  // the cells are kept points
    if (cells[kItemPoints].weight != 0.0F) lose<Runs>(arguments, cells, row, exists, level);
#pragma unroll
    for (int n = 0; n < Runs::kRuns; ++n) {
#pragma unroll
      for (int i = 0; i < Runs::kTogether; ++i) {
        backward::Cell kept = {};
        if (Runs::first(n) < points_of_item(level)) kept = cells[Runs::first(n) + i];
        of.weight[n][i] = kept.weight;
        of.of_weight[n][i] = backward::kept_of_weight(kept);
        of.of_pixel[n][i] = {kept.weight * kept.x, kept.weight * kept.y};
      }
    }
    store_logits<Runs>(arguments, row, exists, level, of);
    finish_points<Runs>(arguments, cells, row, exists, level, of);
    if constexpr (kAsksForReferences<K>) {
      simt::syncwarp();  // the cells are gradients of references
      if (exists) Sums::store(arguments, cells, row, level);
    }
  }

  template <class Fill>
  __device__ static void leave_nan(const backward::Arguments& arguments, const Fill& fill) {
    using Finish = FinishRows<K, Parameters>;
    if constexpr (Finish::kBytesOfRow != 0) {
      fill(Sums::first(arguments), Sums::rows(arguments) * (Finish::kBytesOfRow / 4));
    }
  }

 private:
  template <class Runs>
  using Of = OfPoints<Runs::kRuns, Runs::kTogether>;

  /// Of a row that a work item has: those of a level where levels are apart.
  __device__ static constexpr int points_of_item(int level) {
    return K::Lanes::kLevelsApart ? points_of<Problem>(level) : Made::kPointsOfRow;
  }

  /// Of a row whose weights are no numbers: its cells as if they had been kept.
  template <class Runs>
  __device__ __noinline__ static void lose(const backward::Arguments& arguments,
                                           backward::Cell* cells, long long row, bool exists,
                                           int level) {
#pragma unroll 1
    for (int n = 0; n < Runs::kRuns; ++n) {
#pragma unroll 1
      for (int i = 0; i < Runs::kTogether; ++i) {
        const int point = Runs::first(n) + i;
        if (Runs::first(n) >= points_of_item(level)) continue;
        const LostPoint<K, Made> lost(arguments, row, first_point<Problem>(level) + point);
        // Whole numbers know no NaN: the pass after the kernel leaves these.
        if constexpr (backward::kIsAsked<K, backward::kGradValue> && !K::Accumulator::kIsFixed) {
          if (exists) lost.add_to_sums(arguments, row);
        }
        const float of_pixel = lost.counts() ? no_number() : 0.0F;
        backward::keep_point(cells[point], no_number(), of_pixel, of_pixel);
        cells[point].weight = 1.0F;
      }
    }
  }

  template <class Runs>
  __device__ static void store_logits(const backward::Arguments& arguments, long long row,
                                      bool exists, int level, const Of<Runs>& of) {
    if constexpr (!backward::kIsAsked<K, backward::kGradWeights>) return;
    using Logit = typename Problem::Weight;
    float sum = 0.0F;
    if constexpr (!K::Lanes::kLevelsApart) {
#pragma unroll
      for (int n = 0; n < Runs::kRuns; ++n) {
#pragma unroll
        for (int i = 0; i < Runs::kTogether; ++i) {
          sum = fmaf(of.weight[n][i], of.of_weight[n][i], sum);
        }
      }
      sum = sum_over<K::Lanes::kLanes>(sum);
    }
#pragma unroll
    for (int n = 0; n < Runs::kRuns; ++n) {
      if (!exists || Runs::first(n) >= points_of_item(level)) continue;
      const long long point =
          row * Made::kPointsOfRow + first_point<Problem>(level) + Runs::first(n);
      if constexpr (K::Lanes::kLevelsApart) {
#pragma unroll
        for (int i = 0; i < Runs::kTogether; ++i) {
          FinishRows<K, Parameters>::of_weights(arguments)[point + i] = of.of_weight[n][i];
        }
      } else {
        float gradients[Runs::kTogether];
#pragma unroll
        for (int i = 0; i < Runs::kTogether; ++i) {
          gradients[i] = of.weight[n][i] * (of.of_weight[n][i] - sum);
        }
        store<Logit>(arguments.grad_attention_weights, point, gradients);
      }
    }
  }

  /// Stores the gradients of offsets, and leaves those of each point's reference in its cell.
  template <class Runs>
  __device__ static void finish_points(const backward::Arguments& arguments, backward::Cell* cells,
                                       long long row, bool exists, int level, const Of<Runs>& of) {
    constexpr bool kOffsets = backward::kIsAsked<K, backward::kGradLocations>;
    if constexpr (!kOffsets && !kAsksForReferences<K>) return;
#pragma unroll
    for (int n = 0; n < Runs::kRuns; ++n) {
      if (Runs::first(n) >= points_of_item(level)) continue;
      const int point = first_point<Problem>(level) + Runs::first(n);
      const PointChain<K, Made, Runs::kTogether> chain(arguments, row, point);
      float of_offsets[2 * Runs::kTogether];
#pragma unroll
      for (int i = 0; i < Runs::kTogether; ++i) {
        const Position of_offset = chain.of_offset(i, of.of_pixel[n][i]);
        of_offsets[2 * i] = of_offset.x;
        of_offsets[2 * i + 1] = of_offset.y;
        if constexpr (kAsksForReferences<K>) {
          cells[Runs::first(n) + i] = chain.of_reference(i, of.of_pixel[n][i]);
        }
      }
      if (kOffsets && exists) {
        store<typename Problem::Location>(arguments.grad_sampling_locations,
                                          2 * (row * Made::kPointsOfRow + point), of_offsets);
      }
    }
  }

  template <class T, int n>
  __device__ static void store(void* tensor, long long element, const float (&numbers)[n]) {
    Vector<T, n> rounded;
    from_floats(numbers, rounded.element);
    rounded.write(static_cast<T*>(tensor) + element,
                  [](auto* p, auto word) { K::Cache::store_output(p, word); });
  }
};

}  // namespace msda::fused_backward
