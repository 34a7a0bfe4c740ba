// --- Linear textures ----------------------------------------------------------------------------
// The values that a kernel above fetches as texels. A texture is a description of an address and
// holds no memory: it is made when the address comes first, and kept.

namespace {

/// Of unsigned numbers of at most 32 bits.
cudaChannelFormatDesc texel_format(unsigned bytes) {
  const int bits = static_cast<int>(std::min(8 * bytes, 32U));
  const auto channel = [&](unsigned n) { return 4 * n < bytes ? bits : 0; };
  return {channel(0), channel(1), channel(2), channel(3), cudaChannelFormatKindUnsigned};
}

/// `bytes` bytes from `first` on, which is aligned as a texture's have to be.
cudaError_t find_texture(const void* first, size_t bytes, unsigned texel_bytes,
                         unsigned long long& texture) {
  static std::mutex mutex;
  static std::map<std::tuple<int, const void*, size_t, unsigned>, cudaTextureObject_t> made;
  int device = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return error;
  const std::lock_guard lock(mutex);
  cudaTextureObject_t& object = made[{device, first, bytes, texel_bytes}];
  if (object == 0) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<void*>(first);
    resource.res.linear.desc = texel_format(texel_bytes);
    resource.res.linear.sizeInBytes = bytes;
    cudaTextureDesc reading{};
    reading.readMode = cudaReadModeElementType;
    // Its own work is in no stream, so that one that is captured may go on.
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    error = cudaThreadExchangeStreamCaptureMode(&mode);
    if (error != cudaSuccess) return error;
    error = cudaCreateTextureObject(&object, &resource, &reading, nullptr);
    cudaThreadExchangeStreamCaptureMode(&mode);
  }
  texture = object;
  return error;
}

/// Adds the views that the plan asks for, of the values as the main kernel finds them.
cudaError_t add_textures(const Tuned& tuned, const msda_problem& p, msda::AllArguments& arguments) {
  const bool copied = tuned.plan.has_prepass[msda::kLayout] != 0;
  const auto* values = static_cast<const unsigned char*>(copied ? arguments.workspace[msda::kLayout]
                                                                : arguments.value);
  const size_t bytes = copied
                           ? slot_bytes(tuned, p, msda::kLayout)
                           : static_cast<size_t>(p.batch * p.spatial_size * p.heads * p.channels) *
                                 (p.value_type == MSDA_FP32 ? 4 : 2);
  const auto alignment = static_cast<size_t>(std::max(attribute(cudaDevAttrTextureAlignment), 1));
  const size_t before = reinterpret_cast<uintptr_t>(values) % alignment;
  for (int view = 0; view < msda::kTexelViews; ++view) {
    const unsigned texel_bytes = tuned.plan.texel_bytes[view];
    if (texel_bytes == 0) continue;
    const cudaError_t error =
        find_texture(values - before, before + bytes, texel_bytes, arguments.texels[view]);
    if (error != cudaSuccess) return error;
    arguments.first_texel[view] = static_cast<unsigned>(before / texel_bytes);
  }
  return cudaSuccess;
}

}  // namespace
