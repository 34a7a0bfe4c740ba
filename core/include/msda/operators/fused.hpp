// The tensors of the operator `fused`: `forward` together with what models compute before it. With
// the reference point r of a query, on level l or of anchor p % Z, with offset o and logits z:
//
//   weights      = softmax of z over L * P
//   location     = r.xy + o / (W_l, H_l)                  where a reference has 2 coordinates
//   location     = r.xy + o / P_l * r.wh * scale          where it has 4: x, y, width, height
//   location     = r.xy + o * scale_p * r.wh * scale      and points have scales of their own
//   output       = forward(value, location, weights)      pixels of the padding mask as zero
//
// (Deformable DETR: Zhu et al., 2021; anchors: BEVFormer, Li et al., 2022.) Coordinates and the
// softmax are fp32 or finer, whatever the tensors are stored in.
#pragma once

#include <msda/operators/forward.hpp>

namespace msda::fused {

/// Numbers of the tensors in kTensors. The first three are where `forward` has value, locations and
/// weights: its kernels fetch these in the same way. The mask is the last, so that kernels for
/// problems without one have no argument for it.
enum Tensor : std::size_t { kValue, kOffsets, kLogits, kReferences, kOutput, kPaddingMask };

inline constexpr TensorSpec kTensors[] = {
    forward::kTensors[forward::kValue],
    // In pixels of the level, or in parts of the reference's box.
    {.name = "offsets",
     .file = "sampling_offsets",
     .axes = {Axis::kBatch, Axis::kQuery, Axis::kHead, Axis::kLevel, Axis::kPoint, Axis::kXY},
     .rank = 6,
     .row_axes = 3,
     .type = &Types::location,
     .any_number = true},
    {.name = "logits",
     .file = "attention_logits",
     .axes = {Axis::kBatch, Axis::kQuery, Axis::kHead, Axis::kLevel, Axis::kPoint},
     .rank = 5,
     .row_axes = 3,
     .type = &Types::weight,
     .file_joins = 2,
     .any_number = true},
    {.name = "reference_points",
     .file = "reference_points",
     .axes = {Axis::kBatch, Axis::kQuery, Axis::kReference, Axis::kCoordinate},
     .rank = 4,
     .row_axes = 3,
     .type = &Types::reference,
     .any_number = true},
    forward::kTensors[forward::kOutput],
    // 1: the pixel is padding.
    {.name = "padding_mask",
     .file = "padding_mask",
     .axes = {Axis::kBatch, Axis::kPixel},
     .rank = 2,
     .row_axes = 1,
     .present = &Problem::padding},
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
  void* output;
  const void* padding_mask;  ///< null without one

  explicit View(const Tensors& tensors)
      : value(tensors[kValue]),
        offsets(tensors[kOffsets]),
        logits(tensors[kLogits]),
        references(tensors[kReferences]),
        output(tensors[kOutput]),
        padding_mask(tensors[kPaddingMask]) {}
};

/// The number of the reference of point `point` of a level among those of its query.
inline std::int64_t reference_of(const Problem& problem, std::int64_t level, std::int64_t point) {
  return problem.references.anchors == 0 ? level : point % problem.references.anchors;
}

/// The same of point `point` of a row.
inline std::int64_t reference_of(const Problem& problem, std::int64_t point) {
  const std::size_t level = problem.level_of(point);
  return reference_of(problem, static_cast<std::int64_t>(level),
                      point - problem.first_point(level));
}

/// The part of a box that an offset of 1 moves point `point` of a row by.
inline double part_of_box(const Problem& problem, std::int64_t point) {
  const References& references = problem.references;
  if (!references.point_scales.empty()) {
    return references.scale * references.point_scales.at(static_cast<std::size_t>(point));
  }
  return references.scale / static_cast<double>(problem.points_of(problem.level_of(point)));
}

/// The pixel coordinate of point `point` of a row along an axis of `size` pixels: in double, of
/// numbers as stored. `box` is the reference's extent along the axis, for references of 4
/// coordinates.
inline double pixel_of(const Problem& problem, std::int64_t point, double reference, double box,
                       double offset, std::int64_t size) {
  const auto pixels = static_cast<double>(size);
  const double moved = problem.references.coordinates == 2
                           ? offset
                           : offset * box * pixels * part_of_box(problem, point);
  return reference * pixels + moved - 0.5;
}

}  // namespace msda::fused
