#pragma once

#include <cuda_runtime.h>

#include <cstdint>

void ms_deform_attn_forward(cudaStream_t stream, const float* value, const int64_t* spatial_shapes,
                            const int64_t* level_start_index, const float* sampling_loc,
                            const float* attn_weight, int batch, int spatial_size, int num_heads,
                            int channels, int num_levels, int num_query, int num_point,
                            float* output);
