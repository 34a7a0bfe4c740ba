// By-value argument of the kernels of operator `fused-backward`.
#pragma once

#include <backward/arguments.cuh>
#include <msda/contract.cuh>

namespace msda::fused_backward {

struct Tensors {
  void* grad_reference_points;
  const void* references;
};
/// Those of `backward`, with offsets as locations and logits as weights, and the references before.
struct Arguments : Tensors, backward::Arguments {};

struct Padding {
  const unsigned char* mask;  ///< [B, S]
};
struct PaddedArguments : Padding, Arguments {};
template <class Parameters>
using ArgumentsOf = Conditional<Parameters::padding, PaddedArguments, Arguments>;

/// Number of the output in the operator's list; the others have those of `backward`.
inline constexpr unsigned kGradReferences = 8;

template <class K>
inline constexpr bool kAsksForReferences = (K::Problem::kUnasked >> kGradReferences & 1U) == 0;

}  // namespace msda::fused_backward
