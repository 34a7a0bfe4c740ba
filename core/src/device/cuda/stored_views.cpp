#include "device/cuda/stored_views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include <msda/error.hpp>
#include <msda/runtime/linear_textures.hpp>
#include <msda/runtime/tensor_maps.hpp>

#include "device/cuda/check.hpp"
#include "jit/launch_plan.hpp"

namespace msda {

StoredViews::StoredViews(const LaunchPlan& plan, std::int64_t batch, std::size_t bytes, bool maps)
    : plan_(plan),
      batch_(batch),
      bytes_(bytes),
      maps_(maps && copies_boxes(plan)),
      texels_(fetches_texels(plan)) {
  if (maps_) check_boxes(plan);
  if (!texels_) return;
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  int alignment = 0;
  check(cudaDeviceGetAttribute(&alignment, cudaDevAttrTextureAlignment, device),
        "cudaDeviceGetAttribute(TextureAlignment)");
  alignment_ = static_cast<std::size_t>(alignment);
}

StoredViews::~StoredViews() {
  for (const cudaTextureObject_t texture : textures_) cudaDestroyTextureObject(texture);
}

void StoredViews::make_textures(const void* values, AllArguments& views) {
  for (const unsigned bytes : plan_.texel_bytes) {
    if (bytes != 0 && reinterpret_cast<std::uintptr_t>(values) % bytes != 0) {
      throw Error(fmt::format("values at {} lie at no multiple of {} bytes, as texels have to",
                              fmt::ptr(values), bytes));
    }
  }
  const auto make = [this](const void* first, std::size_t bytes, unsigned texel_bytes,
                           cudaTextureObject_t& texture) {
    const runtime::Status status = runtime::make_texture(first, bytes, texel_bytes, texture);
    if (!status.failed()) textures_.push_back(texture);
    return status;
  };
  check(runtime::add_textures(plan_, values, bytes_, alignment_, views, make));
}

void StoredViews::make(const void* values) {
  if ((!maps_ && !texels_) || made_.contains(values)) return;
  AllArguments views{};
  if (maps_) check(runtime::add_maps(plan_, values, batch_, views));
  if (texels_) make_textures(values, views);
  made_.emplace(values, views);
}

void StoredViews::add_to(AllArguments& arguments, const void* values) {
  if (!maps_ && !texels_) return;
  const auto found = made_.find(values);
  if (found == made_.end()) throw Error("launched on tensors that were not bound before");
  AllArguments& views = found->second;
  if (maps_) std::copy(std::begin(views.maps), std::end(views.maps), std::begin(arguments.maps));
  if (!texels_) return;
  std::copy(std::begin(views.texels), std::end(views.texels), std::begin(arguments.texels));
  std::copy(std::begin(views.first_texel), std::end(views.first_texel),
            std::begin(arguments.first_texel));
}

}  // namespace msda
