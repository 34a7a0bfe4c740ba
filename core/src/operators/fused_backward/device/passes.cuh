// What is left to do when all rows have been worked on: sums over the heads of a query, rows whose
// levels were apart, and pixels of rows that are lost to sums of whole numbers.
#pragma once

#include <backward/slot_list.cuh>
#include <fused_backward/lost_rows.cuh>
#include <msda/skeleton/plan.cuh>
#include <msda/skeleton/stored_levels.cuh>

namespace msda::fused_backward {

/// The gradients of references before they are summed over heads, in float32: [parts][B, Q, H, R,
/// K]. Ordered sums cost no more than reds, and leave the same bits in every run.
template <class K, class Parameters>
struct ReferenceSums {
  using Problem = typename K::Problem;
  using References = fused::ReferenceLayout<K, Parameters>;
  static constexpr int kCoordinates = References::kCoordinates;
  static constexpr int kOfRow = References::kCount * kCoordinates;
  static constexpr bool kByLevel = References::kAnchors == 0;
  static constexpr bool kApart = K::Lanes::kLevelsApart;
  static constexpr int kParts = kApart && !kByLevel ? Problem::kLevels : 1;
  static constexpr long long kBytesOfRow =
      kAsksForReferences<K> ? kParts * kOfRow * static_cast<long long>(sizeof(float)) : 0;

  __device__ static float* first(const backward::Arguments& arguments) {
    return static_cast<float*>(arguments.workspace[backward::kPoints]);
  }
  __device__ static long long rows(const backward::Arguments& arguments) {
    return arguments.batch * arguments.queries * Problem::kHeads;
  }

  /// Of a row whose cells are the gradients of each point's reference; called by the row's lanes.
  __device__ static void store(const backward::Arguments& arguments, const backward::Cell* cells,
                               long long row, int level) {
    constexpr int kLevels = kApart ? 1 : Problem::kLevels;
    constexpr int kOwn = kByLevel ? kLevels : References::kCount;
    float* const to = first(arguments) +
                      ((kParts == 1 ? 0 : level * rows(arguments)) + row) * kOfRow +
                      (kByLevel ? level * kCoordinates : 0);
    for (int i = Place<K>::lane(); i < kOwn * kCoordinates; i += K::Lanes::kLanes) {
      const int reference = i / kCoordinates;
      float sum = 0.0F;
      for (int l = kByLevel ? reference : 0; l < (kByLevel ? reference + 1 : kLevels); ++l) {
        constexpr int kStep = kByLevel ? 1 : References::kAnchors;
        const int count = points_of<Problem>(kApart ? level : l);
        for (int p = kByLevel ? 0 : reference; p < count; p += kStep) {
          sum += coordinate(cells[first_point<Problem>(l) + p], i % kCoordinates);
        }
      }
      to[i] = sum;
    }
  }

  /// One that the kernel left in the workspace.
  __device__ static float number(const float* from) {
    return Vector<float, 1>::read(from, [](const auto* p) { return ptx::ld_cg(p); }).element[0];
  }

  /// Element `element` of grad_reference_points.
  __device__ static float total(const backward::Arguments& arguments, long long element) {
    const long long query = element / kOfRow;
    float sum = 0.0F;
    for (int part = 0; part < kParts; ++part) {
      const float* const from = first(arguments) +
                                (part * rows(arguments) + query * Problem::kHeads) * kOfRow +
                                element % kOfRow;
#pragma unroll 4
      for (int head = 0; head < Problem::kHeads; ++head) sum += number(from + head * kOfRow);
    }
    return sum;
  }

 private:
  __device__ static float coordinate(const backward::Cell& gradient, int k) {
    if (k == 0) return gradient.x;
    if (k == 1) return gradient.y;
    return k == 2 ? __uint_as_float(gradient.pixel) : gradient.weight;
  }
};

/// The pass after the kernel, where a composition needs one.
template <class K, class Parameters>
struct FinishRows {
  using Problem = typename K::Problem;
  using Made = MadePoints<K, Parameters>;
  using Sums = ReferenceSums<K, Parameters>;
  static constexpr bool kLogits =
      K::Lanes::kLevelsApart && backward::kIsAsked<K, backward::kGradWeights>;
  static constexpr bool kLostRows =
      K::Accumulator::kIsFixed && backward::kIsAsked<K, backward::kGradValue>;
  static constexpr bool kIsNeeded = kAsksForReferences<K> || kLogits || kLostRows;
  static constexpr long long kBytesOfRow =
      Sums::kBytesOfRow +
      (kLogits ? Made::kPointsOfRow * static_cast<long long>(sizeof(float)) : 0);

  static constexpr LaunchShape kShape = grid_stride_shape(256, 8);
  /// Level sizes that lie in device memory are read by each block.
  static constexpr bool kReadsLevels = kLostRows && K::Sizes::kStored;
  struct NoLevels {};
  using Storage = Conditional<kReadsLevels, LevelTable, NoLevels>;

  /// [B, Q, H, L, P]: the gradients of weights.
  __device__ static float* of_weights(const backward::Arguments& arguments) {
    return Sums::first(arguments) + Sums::rows(arguments) * (Sums::kBytesOfRow / 4);
  }

  __device__ static void run(const backward::Arguments& arguments, Storage&) {
    if constexpr (kAsksForReferences<K>) add_up_references(arguments);
    if constexpr (!kLogits && !kLostRows) return;
    bool is_pyramid = true;
    if constexpr (kReadsLevels) {
      is_pyramid = read_levels<K>(arguments, ResidentBudget{}, 0) != kNoPyramid;
    }
    for_each(Sums::rows(arguments), [&](long long row) {
      const typename Made::Row of_row = Made::template softmax<1>(arguments, row);
      if constexpr (kLogits) finish_logits(arguments, row, of_row);
      if constexpr (!kLostRows) return;
      if (!is_pyramid || !Made::is_lost(of_row)) return;
      for (int point = 0; point < Made::kPointsOfRow; ++point) {
        LostPoint<K, Made>(arguments, row, point).store(arguments, row);
      }
    });
  }

 private:
  template <class Each>
  __device__ static void for_each(long long count, const Each& each) {
    for (long long i = static_cast<long long>(simt::block()) * kShape.threads + simt::thread();
         i < count; i += static_cast<long long>(simt::blocks()) * kShape.threads) {
      each(i);
    }
  }

  __device__ static void add_up_references(const backward::Arguments& arguments) {
    using Element = typename Parameters::Element;
    auto* const to =
        static_cast<Element*>(static_cast<const Arguments&>(arguments).grad_reference_points);
    for_each(arguments.batch * arguments.queries * Sums::kOfRow, [&](long long element) {
      to[element] = from_float<Element>(Sums::total(arguments, element));
    });
  }

  __device__ static void finish_logits(const backward::Arguments& arguments, long long row,
                                       const typename Made::Row& of_row) {
    using Logit = typename Problem::Weight;
    const long long first = row * Made::kPointsOfRow;
    const float* const gradient = of_weights(arguments) + first;
    auto* const to = static_cast<Logit*>(arguments.grad_attention_weights) + first;
    const auto weight = [&](int point) {
      return Made::power(Made::logit(arguments, row, point), of_row.most) * of_row.share;
    };
    float sum = 0.0F;
    for (int point = 0; point < Made::kPointsOfRow; ++point) {
      sum += weight(point) * Sums::number(gradient + point);
    }
    for (int point = 0; point < Made::kPointsOfRow; ++point) {
      to[point] = from_float<Logit>(weight(point) * (Sums::number(gradient + point) - sum));
    }
  }
};

/// Members of the policy: its workspace and pass, where there are any.
template <class K, class Parameters>
struct PassOf {};
template <class K, class Parameters>
requires(FinishRows<K, Parameters>::kIsNeeded) struct PassOf<K, Parameters> {
  using Postpass = FinishRows<K, Parameters>;
  static constexpr Extent kWorkspace = {0, 0, K::Problem::kHeads* Postpass::kBytesOfRow};
};

}  // namespace msda::fused_backward
