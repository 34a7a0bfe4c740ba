// The tensors of the operator `forward`, multi-scale deformable attention as problem.hpp defines
// it.
#pragma once

#include <msda/operator.hpp>

namespace msda::forward {

/// Numbers of the tensors in kTensors.
enum Tensor : std::size_t { kValue, kLocations, kWeights, kOutput, kLogits };

inline constexpr TensorSpec kTensors[] = {
    {.name = "value",
     .file = "value",
     .axes = {Axis::kBatch, Axis::kPixel, Axis::kHead, Axis::kChannel},
     .rank = 4,
     .row_axes = 3,
     .type = &Types::value},
    {.name = "locations",
     .file = "sampling_locations",
     .axes = {Axis::kBatch, Axis::kQuery, Axis::kHead, Axis::kLevel, Axis::kPoint, Axis::kXY},
     .rank = 6,
     .row_axes = 3,
     .type = &Types::location,
     .any_number = true},
    {.name = "weights",
     .file = "attention_weights",
     .axes = {Axis::kBatch, Axis::kQuery, Axis::kHead, Axis::kLevel, Axis::kPoint},
     .rank = 5,
     .row_axes = 3,
     .type = &Types::weight},
    {.name = "output",
     .file = "output",
     .role = TensorSpec::Role::kOutput,
     .axes = {Axis::kBatch, Axis::kQuery, Axis::kHead, Axis::kChannel},
     .rank = 4,
     .row_axes = 3,
     .type = &Types::output,
     .file_joins = 2},
    // Their softmax over L * P is the weights: for kernels with a softmax of their own.
    {.name = "logits",
     .file = "attention_logits",
     .role = TensorSpec::Role::kDerived,
     .axes = {Axis::kBatch, Axis::kQuery, Axis::kHead, Axis::kLevel, Axis::kPoint},
     .rank = 5,
     .row_axes = 3,
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
  void* output;
  const void* logits;  ///< null unless Executable::wants() them

  explicit View(const Tensors& tensors)
      : value(tensors[kValue]),
        locations(tensors[kLocations]),
        weights(tensors[kWeights]),
        output(tensors[kOutput]),
        logits(tensors[kLogits]) {}
};

}  // namespace msda::forward
