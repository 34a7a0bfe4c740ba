// open-mmlab/mmcv: the same mapping with at most 4096 blocks of 512 threads, in fp32 and fp16.
#include <algorithm>
using std::min;  // as PyTorch's headers leave it

#include <common/cuda/ms_deform_attn_cuda_kernel.cuh>

/// Its host function stands between ones that take tensors of PyTorch; this is the launch alone.
template <class T>
void ms_deformable_im2col_cuda(cudaStream_t stream, const T* value, const std::int64_t* shapes,
                               const std::int64_t* starts, const T* locations, const T* weights,
                               int batch, int spatial_size, int heads, int channels, int levels,
                               int queries, int points, T* output) {
  const int elements = batch * queries * heads * channels;
  ms_deformable_im2col_gpu_kernel<T>
      <<<GET_BLOCKS(elements, THREADS_PER_BLOCK), THREADS_PER_BLOCK, 0, stream>>>(
          elements, value, shapes, starts, locations, weights, batch, spatial_size, heads, channels,
          levels, queries, points, output);
}

#include "im2col.cuh"

PEER_ERROR_TEXTS

PEER_EXPORT int msda_forward_query(const msda_problem* problem, msda_answer* answer) {
  return peer::answer_with(peer::refusal(*problem, {MSDA_FP32, MSDA_FP16}, MSDA_PLAIN, 2), answer);
}

PEER_EXPORT int msda_forward(const void* value, const std::int64_t* shapes,
                             const std::int64_t* starts, const void* locations, const void* weights,
                             void* output, const msda_problem* problem, void*, void* stream) {
  const auto run = problem->value_type == MSDA_FP32 ? peer::im2col<float> : peer::im2col<at::Half>;
  return run(value, shapes, starts, locations, weights, output, *problem, stream);
}
