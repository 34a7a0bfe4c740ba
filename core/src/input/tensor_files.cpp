#include "input/tensor_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>

#include "input/elements.hpp"

namespace msda {
namespace {

/// "[1, 20, 3]": the position of the flat index in a tensor of the shape.
std::string format_index(const std::vector<std::int64_t>& shape, std::int64_t flat) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    index[d] = flat % shape[d];
    flat /= shape[d];
  }
  return fmt::format("[{}]", fmt::join(index, ", "));
}

std::int64_t element_count(DType type, const Bytes& tensor) {
  return static_cast<std::int64_t>(tensor.size() / size_of(type));
}

/// True when pixel `pixel` of level l, counted inside the level, belongs to its border.
bool is_border(const Problem& problem, std::size_t l, std::int64_t pixel) {
  const Level& level = problem.levels[l];
  const std::int64_t row = pixel / problem.level_pitch(l);
  const std::int64_t column = pixel % problem.level_pitch(l);
  return row == 0 || row == level.height + 1 || column == 0 || column == level.width + 1;
}

void require_zero_border_of_level(const Problem& problem, std::size_t l, std::int64_t image,
                                  const Bytes& value) {
  const std::int64_t start = problem.level_starts()[l];
  const std::int64_t per_pixel = problem.heads * problem.channels;
  const auto pixel_bytes = static_cast<std::size_t>(per_pixel) * size_of(problem.types.value);
  std::vector<float> pixel(static_cast<std::size_t>(per_pixel));
  for (std::int64_t i = 0; i < problem.level_pixels(l); ++i) {
    if (!is_border(problem, l, i)) continue;
    const std::int64_t at = image * problem.spatial_size() + start + i;
    load_floats(problem.types.value, value.data() + static_cast<std::size_t>(at) * pixel_bytes, 0,
                pixel);
    if (std::any_of(pixel.begin(), pixel.end(), [](float x) { return x != 0; })) {
      throw UsageError(fmt::format(
          "its level starts are those of a zero border, but border pixel {} of image {} (level {}) "
          "is not zero",
          start + i, image, l));
    }
  }
}

void require_flags(const std::vector<std::int64_t>& shape, const Bytes& tensor) {
  const auto bad = std::ranges::find_if(tensor, [](std::byte flag) { return flag > std::byte{1}; });
  if (bad == tensor.end()) return;
  throw UsageError(fmt::format("element {} is {}; expected 0 or 1",
                               format_index(shape, bad - tensor.begin()),
                               std::to_integer<int>(*bad)));
}

/// For ValueLayout::kZeroBorder: throws UsageError giving the first border pixel that is not zero.
void require_zero_border(const Problem& problem, const Bytes& value) {
  if (problem.layout != ValueLayout::kZeroBorder) return;
  for (std::int64_t image = 0; image < problem.batch; ++image) {
    for (std::size_t l = 0; l < problem.levels.size(); ++l) {
      require_zero_border_of_level(problem, l, image, value);
    }
  }
}

}  // namespace

std::filesystem::path tensor_path(const std::filesystem::path& directory, std::string_view stem,
                                  FileFormat format) {
  return directory / fmt::format("{}.{}", stem, format == FileFormat::kNpy ? "npy" : "bin");
}

void require_directory(const std::filesystem::path& directory) {
  std::error_code error;
  if (!std::filesystem::is_directory(directory, error)) {
    throw UsageError(fmt::format("{}: no such directory", directory.string()));
  }
}

void require_finite(DType type, const std::vector<std::int64_t>& shape, const Bytes& tensor) {
  constexpr std::int64_t kChunk = 4096;
  const std::int64_t count = element_count(type, tensor);
  std::array<float, kChunk> buffer{};
  for (std::int64_t first = 0; first < count; first += kChunk) {
    const std::span<float> chunk(buffer.data(),
                                 static_cast<std::size_t>(std::min(kChunk, count - first)));
    load_floats(type, tensor.data(), first, chunk);
    const auto bad =
        std::find_if(chunk.begin(), chunk.end(), [](float x) { return !std::isfinite(x); });
    if (bad != chunk.end()) {
      throw UsageError(fmt::format("element {} is {}; expected finite numbers",
                                   format_index(shape, first + (bad - chunk.begin())), *bad));
    }
  }
}

void require_content(const Problem& problem, const TensorSpec& spec, const Bytes& tensor) {
  if (spec.type == nullptr) return require_flags(file_shape(problem, spec), tensor);
  if (!spec.any_number) {
    require_finite(type_of(problem, spec), file_shape(problem, spec), tensor);
  }
  if (spec.has(Axis::kPixel)) require_zero_border(problem, tensor);
}

DType output_type(std::span<const TensorSpec> specs, const Types& types) {
  for (const TensorSpec& spec : specs) {
    if (spec.role == TensorSpec::Role::kInput && spec.type == &Types::output) return types.output;
  }
  return types.*(specs.front().type);
}

std::vector<Level> to_levels(const std::vector<std::int64_t>& sizes) {
  std::vector<Level> levels;
  for (std::size_t i = 0; i + 1 < sizes.size(); i += 2) levels.push_back({sizes[i], sizes[i + 1]});
  return levels;
}

std::vector<std::int64_t> to_int64s(const Bytes& bytes) {
  std::vector<std::int64_t> values(bytes.size() / sizeof(std::int64_t));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(std::int64_t));
  return values;
}

std::vector<float> to_floats(DType type, const Bytes& tensor) {
  std::vector<float> floats(static_cast<std::size_t>(element_count(type, tensor)));
  load_floats(type, tensor.data(), 0, floats);
  return floats;
}

std::vector<Axis> file_axes(const Problem& problem, const TensorSpec& spec) {
  std::vector<Axis> axes(spec.dimensions().begin(), spec.dimensions().end());
  if (!problem.level_points.empty()) std::erase(axes, Axis::kLevel);
  return axes;
}

std::size_t file_joins(const Problem& problem, const TensorSpec& spec) {
  const auto joined = spec.dimensions().last(spec.file_joins);
  const bool loses_one = !problem.level_points.empty() && spec.file_joins > 1 &&
                         std::ranges::find(joined, Axis::kLevel) != joined.end();
  return spec.file_joins - (loses_one ? 1 : 0);
}

std::vector<std::int64_t> file_shape(const Problem& problem, const TensorSpec& spec) {
  std::vector<std::int64_t> shape;
  for (const Axis axis : file_axes(problem, spec)) shape.push_back(extent(problem, axis));
  for (std::size_t joined = 1; joined < file_joins(problem, spec); ++joined) {
    const std::int64_t last = shape.back();
    shape.pop_back();
    shape.back() *= last;
  }
  return shape;
}

std::string file_shape_text(const TensorSpec& spec) {
  std::string text;
  for (std::size_t d = 0; d < spec.rank; ++d) {
    const char* const before = d == 0 ? "(" : d > spec.rank - spec.file_joins ? "*" : ", ";
    text.append(before).append(symbol_of(spec.axes[d]));
  }
  return text + ")";
}

}  // namespace msda
