// --- Linear textures ----------------------------------------------------------------------------
// A texture is made when its address comes first, and kept.

namespace {

msda::runtime::Status find_texture(const void* first, size_t bytes, unsigned texel_bytes,
                                   cudaTextureObject_t& texture) {
  static std::mutex mutex;
  static std::map<std::tuple<int, const void*, size_t, unsigned>, cudaTextureObject_t> made;
  int device = 0;
  msda::runtime::Status status = msda::runtime::status_of(cudaGetDevice(&device), "cudaGetDevice");
  if (status.failed()) return status;
  const std::lock_guard lock(mutex);
  cudaTextureObject_t& object = made[{device, first, bytes, texel_bytes}];
  if (object == 0) status = msda::runtime::make_texture(first, bytes, texel_bytes, object);
  texture = object;
  return status;
}

/// Adds the views that the kernel wants.
int add_textures(const msda::LaunchPlan& plan, const msda_problem& p,
                 msda::AllArguments& arguments) {
  const auto value_bytes = static_cast<size_t>(p.batch * p.spatial_size * p.heads * p.channels) *
                           (p.value_type == MSDA_FP32 ? 4 : 2);
  const auto alignment = static_cast<size_t>(std::max(attribute(cudaDevAttrTextureAlignment), 1));
  return code_of(msda::runtime::add_textures(
      plan, msda::runtime::stored_values(plan, arguments),
      msda::runtime::stored_bytes(plan, arguments, value_bytes), alignment, arguments,
      find_texture));
}

}  // namespace
