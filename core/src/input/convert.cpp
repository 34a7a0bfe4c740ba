#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include <msda/error.hpp>

#include "input/elements.hpp"
#include "input/input.hpp"
#include "parallel.hpp"

namespace msda {
namespace {

constexpr std::int64_t kGrain = 1 << 16;

/// Throws UsageError when a finite element leaves the range of the new type.
void require_in_range(std::string_view name, DType to, std::span<const float> before,
                      std::span<const float> after) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (std::isfinite(before[i]) && !std::isfinite(after[i])) {
      throw UsageError(
          fmt::format("{}: {} is out of the range of {}", name, before[i], name_of(to)));
    }
  }
}

Bytes convert_tensor(std::string_view name, Bytes from, DType from_type, DType to_type) {
  if (from_type == to_type) return from;
  const auto count = static_cast<std::int64_t>(from.size() / size_of(from_type));
  Bytes to(static_cast<std::size_t>(count) * size_of(to_type));
  parallel_for(count, kGrain, 0, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> before(static_cast<std::size_t>(end - begin));
    load_floats(from_type, from.data(), begin, before);
    store_floats(to_type, before, to.data(), begin);
    std::vector<float> after(before.size());
    load_floats(to_type, to.data(), begin, after);
    require_in_range(name, to_type, before, after);
  });
  return to;
}

}  // namespace

Input convert(Input input, const Types& types) {
  bool exact = true;
  for (std::size_t i = 0; i < input.specs.size(); ++i) {
    const TensorSpec& spec = input.specs[i];
    if (spec.role != TensorSpec::Role::kInput || spec.type == nullptr) continue;
    const DType from = type_of(input.problem, spec);
    const DType to = types.*(spec.type);
    exact = exact && converts_exactly(from, to);
    input.tensors[i] = convert_tensor(spec.name, std::move(input.tensors[i]), from, to);
  }
  input.problem.types = types;
  // The results are those of other numbers now.
  if (!exact) input.expected.assign(input.specs.size(), {});
  return input;
}

}  // namespace msda
