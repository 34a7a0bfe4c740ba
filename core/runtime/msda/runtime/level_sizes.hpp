// The level sizes of a launch whose code does not have them as constants: as the kernel's
// arguments, whether the code was compiled for them, and what a launch of them takes.
#pragma once

#include <msda/launch.cuh>
#include <msda/level_class.cuh>

namespace msda::runtime {

/// Pixels of an image whose numbers 16 bits hold.
inline constexpr long long kMostPackedPixels = 0x10000;

/// `shapes` [levels, 2] holds heights and widths without borders, `starts` [levels] the first
/// stored pixel of each level; null: unknown to the host. `pixels` are an image's. Without
/// `resident` and the pointer to shapes in device memory.
template <class Integer>
LevelSizes level_sizes(const Integer* shapes, const Integer* starts, int levels, Integer pixels) {
  LevelSizes sizes{};
  sizes.pixels = static_cast<int>(pixels);
  for (int l = 0; shapes != nullptr && l < levels; ++l) {
    sizes.height[l] = static_cast<int>(shapes[2 * l]);
    sizes.width[l] = static_cast<int>(shapes[2 * l + 1]);
    sizes.start[l] = static_cast<int>(starts[l]);
  }
  return sizes;
}

/// Whether code compiled for the class takes an image of so many pixels, of which the kernel checks
/// the sizes itself.
inline bool takes_pixels(const LevelClass& compiled, long long pixels) {
  constexpr long long kMost = 0x7FFFFFFF;
  return pixels <= (compiled.packs ? kMostPackedPixels : kMost);
}

/// Whether it takes the pyramid: levels that lie one after another, each inside `border` pixels,
/// and are together all of the image.
template <class Integer>
bool takes_pyramid(const LevelClass& compiled, const Integer* shapes, const Integer* starts,
                   int levels, Integer pixels, int border) {
  if (!takes_pixels(compiled, pixels)) return false;
  long long start = 0;
  for (int l = 0; l < levels; ++l) {
    const long long height = shapes[2 * l];
    const long long width = shapes[2 * l + 1];
    const bool fits = height >= compiled.least && width >= compiled.least &&
                      height <= compiled.most && width <= compiled.most && height <= pixels &&
                      width <= pixels;
    if (!fits || starts[l] != start) return false;
    start += (height + 2LL * border) * (width + 2LL * border);
    if (start > pixels) return false;
  }
  return start == pixels;
}

/// The plan for these sizes, the same where the code has them as constants: the tensor maps'
/// extents, and of given sizes as much shared memory as the resident levels take.
inline LaunchPlan at_sizes(LaunchPlan plan, const LevelSizes& sizes, int levels) {
  if (plan.levels == kFixedLevels) return plan;
  if (BoxShape& image = plan.boxes[0]; image.element_bytes != 0) {
    image.extent[1] = static_cast<unsigned>(sizes.pixels);
    image.stride_bytes[1] = image.stride_bytes[0] * image.extent[1];
  }
  if (plan.levels == kGivenLevels && plan.resident.pixel_bytes != 0) {
    const int resident = resident_levels(sizes, levels, plan.resident);
    const long long bytes = resident_bytes(sizes, levels, resident, plan.resident.pixel_bytes);
    plan.main.shared_bytes -= plan.resident.bytes - static_cast<unsigned>(bytes);
  }
  return plan;
}

}  // namespace msda::runtime
