// Stands for the kernel that you have: the operator with the signature that PyTorch extensions give
// it. Nothing here knows of MSDA Lab.
#include "ms_deform_attn.h"

namespace {

__device__ float pixel(const float* level, int stride, int height, int width, int y, int x) {
  if (y < 0 || x < 0 || y >= height || x >= width) return 0.0F;
  return level[static_cast<long long>(y * width + x) * stride];
}

/// One thread for each output element.
__global__ void forward(long long elements, const float* value, const int64_t* spatial_shapes,
                        const int64_t* level_start_index, const float* sampling_loc,
                        const float* attn_weight, int spatial_size, int num_heads, int channels,
                        int num_levels, int num_query, int num_point, float* output) {
  const long long element = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (element >= elements) return;
  const int channel = static_cast<int>(element % channels);
  const long long row = element / channels;
  const int head = static_cast<int>(row % num_heads);
  const long long image = row / num_heads / num_query;
  const int stride = num_heads * channels;
  float sum = 0.0F;
  for (int level = 0; level < num_levels; ++level) {
    const int height = static_cast<int>(spatial_shapes[2 * level]);
    const int width = static_cast<int>(spatial_shapes[2 * level + 1]);
    const float* pixels = value + (image * spatial_size + level_start_index[level]) * stride +
                          head * channels + channel;
    for (int point = 0; point < num_point; ++point) {
      const long long at = (row * num_levels + level) * num_point + point;
      const float x = sampling_loc[2 * at] * static_cast<float>(width) - 0.5F;
      const float y = sampling_loc[2 * at + 1] * static_cast<float>(height) - 0.5F;
      if (!(x > -1 && y > -1 && x < static_cast<float>(width) && y < static_cast<float>(height))) {
        continue;
      }
      const int left = __float2int_rd(x);
      const int top = __float2int_rd(y);
      const float fx = x - static_cast<float>(left);
      const float fy = y - static_cast<float>(top);
      const float upper = (1 - fx) * pixel(pixels, stride, height, width, top, left) +
                          fx * pixel(pixels, stride, height, width, top, left + 1);
      const float lower = (1 - fx) * pixel(pixels, stride, height, width, top + 1, left) +
                          fx * pixel(pixels, stride, height, width, top + 1, left + 1);
      sum += attn_weight[at] * ((1 - fy) * upper + fy * lower);
    }
  }
  output[element] = sum;
}

}  // namespace

void ms_deform_attn_forward(cudaStream_t stream, const float* value, const int64_t* spatial_shapes,
                            const int64_t* level_start_index, const float* sampling_loc,
                            const float* attn_weight, int batch, int spatial_size, int num_heads,
                            int channels, int num_levels, int num_query, int num_point,
                            float* output) {
  constexpr int kThreads = 256;
  const long long elements = static_cast<long long>(batch) * num_query * num_heads * channels;
  const auto blocks = static_cast<unsigned>((elements + kThreads - 1) / kThreads);
  forward<<<blocks, kThreads, 0, stream>>>(elements, value, spatial_shapes, level_start_index,
                                           sampling_loc, attn_weight, spatial_size, num_heads,
                                           channels, num_levels, num_query, num_point, output);
}
