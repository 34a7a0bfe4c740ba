// By-value argument of the kernels of operator `backward`.
#pragma once

#include <msda/launch.cuh>

namespace msda::backward {

/// The last of the operator's list first; an output that nobody asks for is null.
struct Gradients {
  void* grad_attention_weights;
  void* grad_sampling_locations;
  void* grad_value;
  const void* grad_output;
};
struct Arguments : Gradients, msda::Arguments {};

/// Numbers of the outputs in the operator's list.
enum Output : unsigned { kGradValue = 4, kGradLocations, kGradWeights };

template <class K, Output output>
inline constexpr bool kIsAsked = (K::Problem::kUnasked >> output & 1U) == 0;
/// Whether points are made of other tensors, whose gradients have more uses for those of points.
template <class K>
inline constexpr bool kAsksForMore = [] {
  if constexpr (requires { K::Points::kAsksForMore; }) return K::Points::kAsksForMore;
  return false;
}();
/// Whether a gradient is asked for that needs those of points.
template <class K>
inline constexpr bool kAsksForPoints =
    kIsAsked<K, kGradLocations> || kIsAsked<K, kGradWeights> || kAsksForMore<K>;
/// Whether a kernel multiplies values with the gradient: not the one that adds alone.
template <class K>
inline constexpr bool kHasDots = kAsksForPoints<K> && !K::kAddsAlone;

}  // namespace msda::backward
