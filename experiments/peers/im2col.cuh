// The adapter of every implementation whose host function has the signature of Deformable DETR's
// ms_deformable_im2col_cuda<T>(); included after that function.
#pragma once

#include "adapter.cuh"

namespace peer {

template <class T>
int im2col(const void* value, const std::int64_t* shapes, const std::int64_t* starts,
           const void* locations, const void* weights, void* output, const msda_problem& p,
           void* stream) {
  ms_deformable_im2col_cuda<T>(
      static_cast<cudaStream_t>(stream), static_cast<const T*>(value), shapes, starts,
      static_cast<const T*>(locations), static_cast<const T*>(weights), static_cast<int>(p.batch),
      static_cast<int>(p.spatial_size), static_cast<int>(p.heads), static_cast<int>(p.channels),
      static_cast<int>(p.levels), static_cast<int>(p.queries), static_cast<int>(p.points),
      static_cast<T*>(output));
  return cudaGetLastError();
}

}  // namespace peer
