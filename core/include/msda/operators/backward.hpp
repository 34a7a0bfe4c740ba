// The tensors of the operator `backward`: the gradients of a loss with respect to the inputs of
// `forward`, from its gradient g with respect to the output. With v_k the values of the four
// pixels around a point, w_k their bilinear weights and a the point's attention weight
// (docs/backward.md):
//
//   grad_value[b,k,h,c]                    = sum over points of a * w_k * g[b,q,h,c]
//   grad_attention_weights[b,q,h,l,p]      = sum over k, c of w_k * v_k[c] * g[b,q,h,c]
//   grad_sampling_locations[b,q,h,l,p,x/y] = a * W_l/H_l * sum over k, c of
//                                            d w_k / d(x/y) * v_k[c] * g[b,q,h,c]
#pragma once

#include <msda/operators/forward.hpp>

namespace msda::backward {

/// Numbers of the tensors in kTensors. Those of the forward's inputs are the forward's.
enum Tensor : std::size_t {
  kValue,
  kLocations,
  kWeights,
  kGradOutput,
  kGradValue,
  kGradLocations,
  kGradWeights
};

inline constexpr TensorSpec kTensors[] = {
    forward::kTensors[forward::kValue],
    forward::kTensors[forward::kLocations],
    forward::kTensors[forward::kWeights],
    {.name = "grad_output",
     .file = "grad_output",
     .axes = {Axis::kBatch, Axis::kQuery, Axis::kHead, Axis::kChannel},
     .rank = 4,
     .row_axes = 3,
     .type = &Types::output,
     .file_joins = 2},
    // Zero where no point reads a pixel, and in a border.
    {.name = "grad_value",
     .file = "grad_value",
     .role = TensorSpec::Role::kOutput,
     .axes = {Axis::kBatch, Axis::kPixel, Axis::kHead, Axis::kChannel},
     .rank = 4,
     .row_axes = 3,
     .type = &Types::value,
     .accumulated = true},
    // A row of these two is one point, because points owe nothing to each other.
    {.name = "grad_sampling_locations",
     .file = "grad_sampling_locations",
     .role = TensorSpec::Role::kOutput,
     .axes = {Axis::kBatch, Axis::kQuery, Axis::kHead, Axis::kLevel, Axis::kPoint, Axis::kXY},
     .rank = 6,
     .row_axes = 5,
     .type = &Types::location},
    {.name = "grad_attention_weights",
     .file = "grad_attention_weights",
     .role = TensorSpec::Role::kOutput,
     .axes = {Axis::kBatch, Axis::kQuery, Axis::kHead, Axis::kLevel, Axis::kPoint},
     .rank = 5,
     .row_axes = 5,
     .type = &Types::weight},
};

inline std::int64_t elements(const Problem& problem, Tensor tensor) {
  return msda::elements(problem, kTensors[tensor]);
}
inline std::int64_t bytes_of(const Problem& problem, Tensor tensor) {
  return msda::bytes_of(problem, kTensors[tensor]);
}

/// The tensors of a call by name.
struct View {
  const void* value;
  const void* locations;
  const void* weights;
  const void* grad_output;
  // Null where nobody asks for it:
  void* grad_value;  ///< of any content before the call, which clears it
  void* grad_sampling_locations;
  void* grad_attention_weights;

  explicit View(const Tensors& tensors)
      : value(tensors[kValue]),
        locations(tensors[kLocations]),
        weights(tensors[kWeights]),
        grad_output(tensors[kGradOutput]),
        grad_value(tensors[kGradValue]),
        grad_sampling_locations(tensors[kGradLocations]),
        grad_attention_weights(tensors[kGradWeights]) {}
};

}  // namespace msda::backward
