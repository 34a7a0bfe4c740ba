// The tensors of the operator `fused-backward`: the gradients of a loss with respect to the inputs
// of `fused`, from its gradient with respect to the output. With w the softmax of a row's logits,
// dw the gradients of these weights and d those of locations, as `backward` has them:
//
//   grad_logits[i]          = w[i] * (dw[i] - sum over the row of w * dw)
//   grad_offsets            = d / (W_l, H_l)
//                             d / P * r.wh * scale, of references of 4 coordinates
//   grad_reference_points   = sum over heads and the reference's points of d
//                             that of d * o / P * scale, of widths and heights
//   grad_value              = that of `backward`, 0 where the padding mask is true
//
// Pixels of the padding mask count as zero in all of them.
#pragma once

#include <msda/operators/backward.hpp>
#include <msda/operators/fused.hpp>

namespace msda::fused_backward {

/// Numbers of the tensors in kTensors. The first seven are where `backward` has its own: its
/// kernels fetch and store these in the same way.
enum Tensor : std::size_t {
  kValue,
  kOffsets,
  kLogits,
  kGradOutput,
  kGradValue,
  kGradOffsets,
  kGradLogits,
  kReferences,
  kGradReferences,
  kPaddingMask  ///< the last, so that kernels for problems without one have no argument for it
};

inline constexpr TensorSpec kTensors[] = {
    fused::kTensors[fused::kValue],
    fused::kTensors[fused::kOffsets],
    fused::kTensors[fused::kLogits],
    backward::kTensors[backward::kGradOutput],
    backward::kTensors[backward::kGradValue],
    // A row is one point.
    {.name = "grad_offsets",
     .file = "grad_sampling_offsets",
     .role = TensorSpec::Role::kOutput,
     .axes = {Axis::kBatch, Axis::kQuery, Axis::kHead, Axis::kLevel, Axis::kPoint, Axis::kXY},
     .rank = 6,
     .row_axes = 5,
     .type = &Types::location},
    {.name = "grad_logits",
     .file = "grad_attention_logits",
     .role = TensorSpec::Role::kOutput,
     .axes = {Axis::kBatch, Axis::kQuery, Axis::kHead, Axis::kLevel, Axis::kPoint},
     .rank = 5,
     .row_axes = 3,
     .type = &Types::weight,
     .file_joins = 2},
    fused::kTensors[fused::kReferences],
    {.name = "grad_reference_points",
     .file = "grad_reference_points",
     .role = TensorSpec::Role::kOutput,
     .axes = {Axis::kBatch, Axis::kQuery, Axis::kReference, Axis::kCoordinate},
     .rank = 4,
     .row_axes = 3,
     .type = &Types::reference},
    fused::kTensors[fused::kPaddingMask],
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
  const void* offsets;
  const void* logits;
  const void* references;
  const void* grad_output;
  // Null where nobody asks for it:
  void* grad_value;  ///< of any content before the call, which clears it
  void* grad_offsets;
  void* grad_logits;
  void* grad_references;
  const void* padding_mask;  ///< null without one

  explicit View(const Tensors& tensors)
      : value(tensors[kValue]),
        offsets(tensors[kOffsets]),
        logits(tensors[kLogits]),
        references(tensors[kReferences]),
        grad_output(tensors[kGradOutput]),
        grad_value(tensors[kGradValue]),
        grad_offsets(tensors[kGradOffsets]),
        grad_logits(tensors[kGradLogits]),
        grad_references(tensors[kGradReferences]),
        padding_mask(tensors[kPaddingMask]) {}
};

}  // namespace msda::fused_backward
