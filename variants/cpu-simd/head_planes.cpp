#include "head_planes.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include <msda/error.hpp>

namespace msda::cpu_rows {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

Problem with_border(Problem problem) {
  problem.layout = ValueLayout::kZeroBorder;
  return problem;
}

std::byte* allocate_zeroed(std::size_t bytes) {
  const std::size_t rounded = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void* memory = std::aligned_alloc(kHugePage, rounded);
  if (memory == nullptr) {
    throw EnvironmentError("cannot allocate " + std::to_string(rounded) +
                           " bytes for a copy of the value tensor: set head_planes to off");
  }
  // Only advice: without huge pages the copy works as well, a little slower.
  static_cast<void>(madvise(memory, rounded, MADV_HUGEPAGE));
  std::memset(memory, 0, rounded);
  return static_cast<std::byte*>(memory);
}

}  // namespace

void HeadPlanes::Free::operator()(std::byte* memory) const { std::free(memory); }

bool HeadPlanes::worthwhile(const Problem& problem) {
  // Copying a pixel costs about as much as the copy saves on two reads of it; twice that, to be
  // sure.
  constexpr double kReadsOfEachPixel = 4;
  const double reads =
      4.0 * static_cast<double>(problem.queries) * static_cast<double>(problem.row_points());
  const auto pixels = static_cast<double>(cpu::Levels(problem).spatial_size());
  return problem.heads > 1 && reads >= kReadsOfEachPixel * pixels;
}

HeadPlanes::HeadPlanes(const Problem& problem)
    : batch_(problem.batch),
      heads_(problem.heads),
      slice_bytes_(static_cast<std::size_t>(problem.channels) * size_of(problem.types.value)),
      source_(problem),
      copy_(with_border(problem)) {
  for (const Level& level : problem.levels) rows_per_image_ += level.height;
  const auto slices = static_cast<std::size_t>(batch_ * heads_ * copy_.spatial_size());
  memory_.reset(allocate_zeroed(slices * slice_bytes_));
}

void HeadPlanes::copy_row(const void* value, std::int64_t row) const {
  const std::int64_t image = row / rows_per_image_;
  std::int64_t row_of_level = row % rows_per_image_;
  std::size_t level = 0;
  while (row_of_level >= source_.places()[level].height) {
    row_of_level -= source_.places()[level++].height;
  }
  const cpu::LevelPlace& source = source_.places()[level];
  const cpu::LevelPlace& copy = copy_.places()[level];
  const std::int64_t from_pixel =
      image * source_.spatial_size() + source.origin + row_of_level * source.pitch;
  const std::int64_t to_pixel =
      image * heads_ * copy_.spatial_size() + copy.origin + row_of_level * copy.pitch;
  for (std::int64_t h = 0; h < heads_; ++h) {
    const auto* from = static_cast<const std::byte*>(value) +
                       static_cast<std::size_t>(from_pixel * heads_ + h) * slice_bytes_;
    std::byte* to = memory_.get() +
                    static_cast<std::size_t>(to_pixel + h * copy_.spatial_size()) * slice_bytes_;
    for (std::int64_t x = 0; x < source.width; ++x) {
      std::memcpy(to, from, slice_bytes_);
      from += static_cast<std::size_t>(heads_) * slice_bytes_;
      to += slice_bytes_;
    }
  }
}

}  // namespace msda::cpu_rows
