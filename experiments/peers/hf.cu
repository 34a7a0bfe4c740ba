// huggingface/kernels-community: Deformable DETR's kernel for 16-bit types too, in which it
// computes coordinates, weights and sums.
#include <deformable_detr/ms_deform_im2col_cuda.cuh>

#include "im2col.cuh"

PEER_ERROR_TEXTS

PEER_EXPORT int msda_forward_query(const msda_problem* problem, msda_answer* answer) {
  return peer::answer_with(
      peer::refusal(*problem, {MSDA_FP32, MSDA_FP16, MSDA_BF16}, MSDA_PLAIN, 2), answer);
}

PEER_EXPORT int msda_forward(const void* value, const std::int64_t* shapes,
                             const std::int64_t* starts, const void* locations, const void* weights,
                             void* output, const msda_problem* problem, void*, void* stream) {
  const auto run = problem->value_type == MSDA_FP32   ? peer::im2col<float>
                   : problem->value_type == MSDA_FP16 ? peer::im2col<at::Half>
                                                      : peer::im2col<at::BFloat16>;
  return run(value, shapes, starts, locations, weights, output, *problem, stream);
}
