// What a launch leaves whose stored level sizes are no pyramid: NaN in each element of the outputs
// that are asked for.
#pragma once

#include <backward/arguments.cuh>
#include <msda/level_points.cuh>
#include <msda/level_sizes.cuh>
#include <msda/slots/schedule.cuh>
#include <msda/vector.cuh>

namespace msda::backward {

/// Called by all threads of a kernel, which leaves NaN in all that it writes.
template <class K>
__device__ inline void leave_nan(const Arguments& arguments) {
  using Problem = typename K::Problem;
  using Accumulator = typename K::Accumulator;
  constexpr unsigned kThreads = kShape<K>.threads;
  const auto each = [&](long long count, const auto& leave) {
    const long long all = static_cast<long long>(simt::blocks()) * kThreads;
    long long i = static_cast<long long>(simt::block()) * kThreads + simt::thread();
    for (; i < count; i += all) leave(i);
  };
  const auto fill = [&]<class T>(T* first, long long count) {
    each(count, [&](long long i) { first[i] = from_float<T>(__uint_as_float(0x7fffffffU)); });
  };
  const long long points =
      arguments.batch * arguments.queries * (Problem::kHeads * kRowPoints<Problem>);
  if constexpr (kIsAsked<K, kGradLocations> && !K::kAddsAlone) {
    using Location = typename Problem::Location;
    fill(static_cast<Location*>(arguments.grad_sampling_locations), 2 * points);
  }
  if constexpr (kIsAsked<K, kGradWeights> && !K::kAddsAlone) {
    using Weight = typename Problem::Weight;
    fill(static_cast<Weight*>(arguments.grad_attention_weights), points);
  }
  if constexpr (kMakesPoints<K> && !K::kAddsAlone) K::Points::leave_nan(arguments, fill);
  if constexpr (!kIsAsked<K, kGradValue> || (kIsDivided<K> && !K::kAddsAlone)) return;
  K::Clear::wait();
  if constexpr (Accumulator::kIsFixed) {
    each(arguments.batch * Problem::kHeads, [&](long long i) {
      Accumulator::spoil(arguments, i / Problem::kHeads, static_cast<int>(i % Problem::kHeads));
    });
  } else {
    fill(Accumulator::sums(arguments),
         arguments.batch * image_stride<typename K::Layout>(typename K::Sizes(arguments)));
  }
}

}  // namespace msda::backward
