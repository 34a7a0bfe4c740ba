#include "device/cuda/tensor_maps.hpp"

#include <cudaTypedefs.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include <msda/error.hpp>

#include "device/cuda/check.hpp"

namespace msda {
namespace {

static_assert(sizeof(TensorMap) == sizeof(CUtensorMap));

/// The driver's encoder, asked for at run time so that nothing links the driver's library.
PFN_cuTensorMapEncodeTiled_v12000 encoder() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult result{};
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                         cudaEnableDefault, &result),
        "cudaGetDriverEntryPointByVersion(cuTensorMapEncodeTiled)");
  if (result != cudaDriverEntryPointSuccess || function == nullptr) {
    throw Error("the driver has no cuTensorMapEncodeTiled: it is older than CUDA 12.0");
  }
  return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function);
}

CUtensorMapDataType type_of(unsigned element_bytes) {
  switch (element_bytes) {
    case 1: return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    case 2: return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    case 4: return CU_TENSOR_MAP_DATA_TYPE_UINT32;
    default: throw Error(fmt::format("no tensor map of elements of {} bytes", element_bytes));
  }
}

}  // namespace

TensorMaps::TensorMaps(const LaunchPlan& plan, std::int64_t batch) : batch_(batch) {
  std::copy(std::begin(plan.boxes), std::end(plan.boxes), shapes_.begin());
}

TensorMap TensorMaps::encode_level(const void* values, const BoxShape& shape) const {
  constexpr unsigned kMostDimensions = std::size(BoxShape{}.extent) + 1;
  cuuint64_t extent[kMostDimensions];
  cuuint64_t stride[kMostDimensions - 1];
  cuuint32_t box[kMostDimensions];
  cuuint32_t step[kMostDimensions];
  for (unsigned d = 0; d < shape.rank; ++d) {
    const bool images = d + 1 == shape.rank;
    extent[d] = images ? static_cast<cuuint64_t>(batch_) : shape.extent[d];
    box[d] = images ? 1 : shape.box[d];
    step[d] = 1;
    if (d > 0) stride[d - 1] = shape.stride_bytes[d - 1];
  }
  CUtensorMap map;
  auto* first =
      const_cast<unsigned char*>(static_cast<const unsigned char*>(values)) + shape.start_bytes;
  const CUresult result =
      encoder()(&map, type_of(shape.element_bytes), shape.rank, first, extent, stride, box, step,
                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    throw Error(fmt::format("cuTensorMapEncodeTiled: error {}", static_cast<int>(result)));
  }
  TensorMap encoded;
  std::copy(std::begin(map.opaque), std::end(map.opaque), std::begin(encoded.opaque));
  return encoded;
}

void TensorMaps::encode(const void* values) {
  Maps maps{};
  for (std::size_t level = 0; level < kLevelLimit; ++level) {
    if (shapes_[level].element_bytes != 0) maps[level] = encode_level(values, shapes_[level]);
  }
  maps_[values] = maps;
}

void TensorMaps::add_to(AllArguments& arguments, const void* values) const {
  const auto found = maps_.find(values);
  if (found == maps_.end()) throw Error("launched on tensors that were not bound before");
  std::copy(found->second.begin(), found->second.end(), std::begin(arguments.maps));
}

}  // namespace msda
