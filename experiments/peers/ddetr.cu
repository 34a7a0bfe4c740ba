// fundamentalvision/Deformable-DETR: the official kernel, one thread for each output element, in
// fp32. Its operator refuses 16-bit types.
#include <cuda/ms_deform_im2col_cuda.cuh>

#include "im2col.cuh"

PEER_ERROR_TEXTS

PEER_EXPORT int msda_forward_query(const msda_problem* problem, msda_answer* answer) {
  return peer::answer_with(peer::refusal(*problem, {MSDA_FP32}, MSDA_PLAIN, 2), answer);
}

PEER_EXPORT int msda_forward(const void* value, const std::int64_t* shapes,
                             const std::int64_t* starts, const void* locations, const void* weights,
                             void* output, const msda_problem* problem, void*, void* stream) {
  return peer::im2col<float>(value, shapes, starts, locations, weights, output, *problem, stream);
}
