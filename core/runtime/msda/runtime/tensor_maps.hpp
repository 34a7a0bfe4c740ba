// What TMA (compute capability 9.0) needs to know of the levels that a kernel copies boxes from.
#pragma once

#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include <cstring>

#include <msda/launch.cuh>

#include <msda/runtime/status.hpp>

namespace msda::runtime {

/// The driver's encoder, or why there is none.
struct MapEncoder {
  PFN_cuTensorMapEncodeTiled_v12000 function;
  Status status;
};

/// Asks for it at run time, so that nothing links the driver's library.
inline MapEncoder find_encoder() {
  constexpr int kSince = 12000;  // CUDA 12.0
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function,
                                                             kSince, cudaEnableDefault, &found);
  if (error != cudaSuccess) {
    cudaGetLastError();  // not left for others to find
    return {nullptr, status_of(error, "cudaGetDriverEntryPointByVersion(cuTensorMapEncodeTiled)")};
  }
  if (found != cudaDriverEntryPointSuccess || function == nullptr) {
    return {nullptr, {Failure::kNoEncoder}};
  }
  return {reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function), {}};
}

/// TMA copies bits: the number of bytes is all that it knows of a type.
inline CUtensorMapDataType map_type(unsigned element_bytes) {
  return element_bytes == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
         : element_bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                              : CU_TENSOR_MAP_DATA_TYPE_UINT32;
}

inline Status encode_map(const MapEncoder& encoder, const BoxShape& shape, const void* values,
                         long long batch, TensorMap& encoded) {
  cuuint64_t extent[4];
  cuuint64_t stride[3];
  cuuint32_t box[4];
  cuuint32_t step[4];
  for (unsigned d = 0; d < shape.rank; ++d) {
    const bool images = d + 1 == shape.rank;
    extent[d] = images ? static_cast<cuuint64_t>(batch) : shape.extent[d];
    box[d] = images ? 1 : shape.box[d];
    step[d] = 1;
    if (d > 0) stride[d - 1] = shape.stride_bytes[d - 1];
  }
  auto* first =
      const_cast<unsigned char*>(static_cast<const unsigned char*>(values)) + shape.start_bytes;
  CUtensorMap map;
  const CUresult result =
      encoder.function(&map, map_type(shape.element_bytes), shape.rank, first, extent, stride, box,
                       step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                       CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) return {Failure::kEncoding, static_cast<int>(result)};
  static_assert(sizeof map == sizeof encoded);
  std::memcpy(&encoded, &map, sizeof map);
  return {};
}

/// Adds the maps of all levels that the plan has boxes of, for the stored values of so many images
/// at `values`. A map belongs to that address. The arguments' tensors are there, or never will be.
inline Status add_maps(const LaunchPlan& plan, const void* values, long long batch,
                       AllArguments& arguments) {
  for (int level = 0; level < kLevelLimit; ++level) {
    if (plan.boxes[level].element_bytes == 0) continue;
    static const MapEncoder encoder = find_encoder();
    if (encoder.status.failed()) return encoder.status;
    const Status status =
        encode_map(encoder, plan.boxes[level], values, batch, arguments.maps[level]);
    if (status.failed()) return status;
  }
  return {};
}

}  // namespace msda::runtime
