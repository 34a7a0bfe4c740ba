// --- Tensor maps --------------------------------------------------------------------------------
// What TMA has to know of the levels that a kernel above copies boxes from. The driver's encoder is
// asked for at run time, so that nothing links the driver's library.

namespace {

CUtensorMapDataType type_of(unsigned element_bytes) {
  return element_bytes == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
         : element_bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                              : CU_TENSOR_MAP_DATA_TYPE_UINT32;
}

int encode(PFN_cuTensorMapEncodeTiled_v12000 encoder, const msda::BoxShape& shape,
           const void* values, int64_t batch, msda::TensorMap& to) {
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
      encoder(&map, type_of(shape.element_bytes), shape.rank, first, extent, stride, box, step,
              CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
              CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  static_assert(sizeof map == sizeof to);
  std::memcpy(&to, &map, sizeof map);
  return result == CUDA_SUCCESS ? 0 : kEncoder;
}

PFN_cuTensorMapEncodeTiled_v12000 find_encoder() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function,
                                                             12000, cudaEnableDefault, &found);
  if (error != cudaSuccess) cudaGetLastError();  // not left for others to find
  const bool is_there = error == cudaSuccess && found == cudaDriverEntryPointSuccess;
  return is_there ? reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function) : nullptr;
}

/// Adds maps of all levels that the plan has boxes of, of the values as the main kernel finds them.
/// Code for devices before TMA copies no boxes.
int add_maps(Tuned& tuned, int64_t batch, msda::AllArguments& arguments) {
  if (code_capability(tuned.main) < 90) return 0;
  const bool copied = tuned.plan.has_prepass[msda::kLayout] != 0;
  const void* values = copied ? arguments.workspace[msda::kLayout] : arguments.value;
  for (int level = 0; level < msda::kLevelLimit; ++level) {
    const msda::BoxShape& box = tuned.plan.boxes[level];
    if (box.element_bytes == 0) continue;
    static const PFN_cuTensorMapEncodeTiled_v12000 encoder = find_encoder();
    if (encoder == nullptr) return kEncoder;
    const int failed = encode(encoder, box, values, batch, arguments.maps[level]);
    if (failed != 0) return failed;
  }
  return 0;
}

}  // namespace
