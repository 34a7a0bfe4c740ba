#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "files/read.hpp"
#include "input/tensor_files.hpp"
#include "problem/validate.hpp"

namespace msda {
namespace {

Bytes read_whole(const std::filesystem::path& path) {
  FileReader file(path);
  return with_path(path, [&] { return file.read(file.remaining()); });
}

/// int64 numbers of a file, or nullopt when it does not exist.
std::optional<std::vector<std::int64_t>> read_integers(const std::filesystem::path& path,
                                                       std::int64_t per_entry,
                                                       std::string_view entry) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  const Bytes bytes = read_whole(path);
  const std::int64_t entry_bytes = per_entry * static_cast<std::int64_t>(sizeof(std::int64_t));
  const auto found = static_cast<std::int64_t>(bytes.size());
  if (found == 0 || found % entry_bytes != 0) {
    throw UsageError(fmt::format("{}: {} bytes found; expected a multiple of {} (int64 {})",
                                 path.string(), found, entry_bytes, entry));
  }
  return to_int64s(bytes);
}

bool has_size(const DTypeTraits& type, std::int64_t bytes, std::int64_t elements) {
  return bytes == static_cast<std::int64_t>(type.bytes) * elements;
}

/// The element type of a file of that size: `declared` where it has the size.
std::optional<DType> type_of_size(std::int64_t bytes, std::int64_t elements, DType declared) {
  if (has_size(traits_of(declared), bytes, elements)) return declared;
  for (const DTypeTraits& type : kDTypes) {
    if (has_size(type, bytes, elements)) return type.type;
  }
  return std::nullopt;
}

/// "800 (fp32) or 400 (fp16, bf16)"
std::string possible_sizes(std::int64_t elements) {
  std::string text;
  std::size_t bytes = 0;
  for (const DTypeTraits& type : kDTypes) {
    if (type.bytes == bytes) {
      text.insert(text.size() - 1, fmt::format(", {}", type.name));
      continue;
    }
    bytes = type.bytes;
    text += fmt::format("{}{} ({})", text.empty() ? "" : " or ",
                        static_cast<std::int64_t>(bytes) * elements, type.name);
  }
  return text;
}

/// The layout that the starts and the size of value.bin fit; `problem.layout` when neither does, so
/// that the checks that follow name what is wrong.
ValueLayout recognise_layout(const std::filesystem::path& directory,
                             std::span<const TensorSpec> specs, const Problem& problem) {
  const auto starts =
      read_integers(tensor_path(directory, tensor_file::kStarts, FileFormat::kRaw), 1, "start");
  const auto of_pixels = std::ranges::find_if(specs, [](const TensorSpec& spec) {
    return spec.role == TensorSpec::Role::kInput && spec.has(Axis::kPixel);
  });
  if (of_pixels == specs.end()) return problem.layout;
  const FileReader value(tensor_path(directory, of_pixels->file, FileFormat::kRaw));
  const ValueLayout other =
      problem.layout == ValueLayout::kPlain ? ValueLayout::kZeroBorder : ValueLayout::kPlain;
  for (const ValueLayout layout : {problem.layout, other}) {
    Problem candidate = problem;
    candidate.layout = layout;
    if (type_of_size(value.remaining(), elements(candidate, *of_pixels), kWidest) &&
        (!starts || *starts == candidate.level_starts())) {
      return layout;
    }
  }
  if (starts) {
    with_path(tensor_path(directory, tensor_file::kStarts, FileFormat::kRaw),
              [&] { validate_level_starts(problem, *starts, problem.spatial_size()); });
  }
  return problem.layout;
}

/// A tensor and the element type that its size implies.
struct RawTensor {
  Bytes bytes;
  DType type = kWidest;
};

/// The problem's type decides among types of one size.
RawTensor read_tensor(const std::filesystem::path& path, const Problem& problem,
                      const TensorSpec& spec) {
  FileReader file(path);
  const std::int64_t found = file.remaining();
  const std::int64_t count = elements(problem, spec);
  const auto type = type_of_size(found, count, type_of(problem, spec));
  if (!type) {
    throw UsageError(fmt::format("{}: {} bytes found; expected {} for {}", path.string(), found,
                                 possible_sizes(count), describe(problem)));
  }
  return {with_path(path, [&] { return file.read(found); }), *type};
}

Bytes read_flags(const std::filesystem::path& path, const Problem& problem,
                 const TensorSpec& spec) {
  Bytes flags = read_whole(path);
  const std::int64_t count = elements(problem, spec);
  if (static_cast<std::int64_t>(flags.size()) != count) {
    throw UsageError(fmt::format("{}: {} bytes found; expected {}, one for each pixel of {}",
                                 path.string(), flags.size(), count, describe(problem)));
  }
  return flags;
}

}  // namespace

Input read_raw_directory(const std::filesystem::path& directory, std::span<const TensorSpec> specs,
                         const Problem& problem) {
  require_directory(directory);
  const auto path = [&](std::string_view stem) {
    return tensor_path(directory, stem, FileFormat::kRaw);
  };
  Input input(problem, specs);
  Problem& p = input.problem;
  if (const auto sizes = read_integers(path(tensor_file::kShapes), 2, "height and width")) {
    p.levels = to_levels(*sizes);
  }
  if (const auto points = read_integers(path(tensor_file::kPoints), 1, "points of a level")) {
    p.level_points = *points;
    p.points = std::ranges::max(*points);
  }
  for (const TensorSpec& spec : specs) {
    if (spec.present != nullptr) p.*(spec.present) = std::filesystem::exists(path(spec.file));
  }
  with_path(directory, [&] { validate(p, specs); });
  p.layout = recognise_layout(directory, specs, p);
  Types types = problem.types;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].role != TensorSpec::Role::kInput || !is_there(p, specs[i])) continue;
    if (specs[i].type == nullptr) {
      input.tensors[i] = read_flags(path(specs[i].file), p, specs[i]);
      continue;
    }
    RawTensor tensor = read_tensor(path(specs[i].file), p, specs[i]);
    types.*(specs[i].type) = tensor.type;
    input.tensors[i] = std::move(tensor.bytes);
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::filesystem::path file = path(specs[i].file);
    if (specs[i].role != TensorSpec::Role::kOutput || !std::filesystem::exists(file)) continue;
    const RawTensor output = read_tensor(file, p, specs[i]);
    with_path(file, [&] { require_finite(output.type, file_shape(p, specs[i]), output.bytes); });
    input.expected[i] = to_floats(output.type, output.bytes);
  }
  types.output = output_type(specs, types);
  p.types = types;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].role != TensorSpec::Role::kInput || !is_there(p, specs[i])) continue;
    with_path(path(specs[i].file), [&] { require_content(p, specs[i], input.tensors[i]); });
  }
  input.origin = directory.string();
  return input;
}

bool is_raw_directory(const std::filesystem::path& directory, std::span<const TensorSpec> specs) {
  const auto has_first = [&](FileFormat format) {
    return std::filesystem::exists(tensor_path(directory, specs.front().file, format));
  };
  return has_first(FileFormat::kRaw) && !has_first(FileFormat::kNpy);
}

}  // namespace msda
