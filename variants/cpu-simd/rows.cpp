#include "rows.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "levels.hpp"

namespace msda::cpu_rows {

// One for each instruction set that CMakeLists.txt compiles row_kernel.cpp for.
void rows_portable(const RowPlan&, const RowTensors&, const RowRange&, const RowScratch&);
#ifdef MSDA_ROWS_X86
void rows_sse4(const RowPlan&, const RowTensors&, const RowRange&, const RowScratch&);
void rows_avx2(const RowPlan&, const RowTensors&, const RowRange&, const RowScratch&);
void rows_avx512(const RowPlan&, const RowTensors&, const RowRange&, const RowScratch&);
#endif

namespace {

/// Floats in the widest vector of any instruction set.
constexpr std::int64_t kWidestVector = 16;

struct InstructionSet {
  std::string_view name;
  RowFunction function;
  bool available;  ///< on this machine
};

#ifdef MSDA_ROWS_X86
bool has_sse4() {
  return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul") &&
         __builtin_cpu_supports("aes");
}

bool has_avx2() {
  return has_sse4() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("f16c");
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

/// Widest first.
const auto& instruction_sets() {
  static const auto sets = std::to_array<InstructionSet>({
#ifdef MSDA_ROWS_X86
      {"avx512", rows_avx512, has_avx512()},
      {"avx2", rows_avx2, has_avx2()},
      {"sse4", rows_sse4, has_sse4()},
#endif
      {"portable", rows_portable, true},
  });
  return sets;
}

const InstructionSet& choose(std::string_view name) {
  const auto& sets = instruction_sets();
  const auto found = std::find_if(sets.begin(), sets.end(), [&](const InstructionSet& set) {
    return name == "auto" ? set.available : set.name == name;
  });
  if (found == sets.end() || !found->available) {
    throw Error("instruction set '" + std::string(name) + "' cannot be used on this machine");
  }
  return *found;
}

}  // namespace

std::vector<std::string> built_instruction_sets() {
  std::vector<std::string> names;
  for (const InstructionSet& set : instruction_sets()) names.emplace_back(set.name);
  return names;
}

std::optional<std::string> cannot_run(std::string_view instruction_set) {
  for (const InstructionSet& set : instruction_sets()) {
    if (set.name == instruction_set && !set.available) {
      return "this CPU has no " + std::string(instruction_set) + " instructions";
    }
  }
  return std::nullopt;
}

ParameterSpec instruction_set_parameter() {
  ParameterSpec spec{.name = "isa",
                     .summary = "vector instructions to use; auto takes the widest this CPU has",
                     .default_value = std::string("auto"),
                     .minimum = {},
                     .maximum = {},
                     .choices = {std::string("auto")}};
  for (const std::string& name : built_instruction_sets()) spec.choices.emplace_back(name);
  return spec;
}

std::optional<std::string> cannot_do(const Problem& problem) {
  constexpr std::int64_t kLongestSide = std::int64_t{1} << 22;
  for (const Level& level : problem.levels) {
    if (std::max(level.height, level.width) > kLongestSide) {
      return "a level is longer than " + std::to_string(kLongestSide) +
             " pixels, where float coordinates no longer tell half a pixel";
    }
  }
  return std::nullopt;
}

Rows::Rows(const Problem& problem, std::string_view instruction_set)
    : function_(choose(instruction_set).function) {
  const auto element = static_cast<std::int64_t>(size_of(problem.types.value));
  plan_.types = problem.types;
  plan_.queries = problem.queries;
  plan_.heads = problem.heads;
  plan_.channels = problem.channels;
  plan_.points = problem.level_count() * problem.points;
  plan_.padded_points = (plan_.points + kWidestVector - 1) / kWidestVector * kWidestVector;
  plan_.zero_border = problem.layout == ValueLayout::kZeroBorder;
  plan_.head_bytes = problem.channels * element;
  plan_.pixel_bytes = problem.heads * plan_.head_bytes;
  const cpu::Levels levels(problem);
  plan_.image_bytes = levels.spatial_size() * plan_.pixel_bytes;
  for (const cpu::LevelPlace& level : levels.places()) {
    const auto points = static_cast<std::size_t>(problem.points);
    width_.insert(width_.end(), points, static_cast<float>(level.width));
    height_.insert(height_.end(), points, static_cast<float>(level.height));
    first_.insert(first_.end(), points, level.origin * plan_.pixel_bytes);
    pitch_.insert(pitch_.end(), points, level.pitch * plan_.pixel_bytes);
  }
  const auto padded = static_cast<std::size_t>(plan_.padded_points);
  width_.resize(padded, 1.0F);
  height_.resize(padded, 1.0F);
  plan_.width = width_.data();
  plan_.height = height_.data();
  plan_.first = first_.data();
  plan_.pitch = pitch_.data();
}

void Rows::run(const Tensors& tensors, const RowRange& range, const Workspace& workspace) const {
  const RowTensors bytes{.value = static_cast<const unsigned char*>(tensors.value),
                         .locations = static_cast<const unsigned char*>(tensors.locations),
                         .weights = static_cast<const unsigned char*>(tensors.weights),
                         .output = static_cast<unsigned char*>(tensors.output)};
  function_(plan_, bytes, range, workspace.scratch());
}

Workspace::Workspace(const RowPlan& plan) {
  const auto points = static_cast<std::size_t>(plan.padded_points);
  const auto channels = static_cast<std::size_t>(plan.channels);
  // Each of the arrays below starts on a cache line of its own.
  const auto lines = [](std::size_t bytes) { return (bytes + 63) / 64; };
  const std::size_t for_points = 7 * lines(4 * points) + lines(8 * points);
  memory_.resize(2 * for_points + lines(8 * points) + lines(4 * points) + lines(4 * channels));
  CacheLine* next = memory_.data();
  const auto take = [&]<class T>(T*& array, std::size_t count) {
    array = reinterpret_cast<T*>(next);
    next += lines(count * sizeof(T));
  };
  for (PointArrays& arrays : scratch_.points) {
    for (float*& weight : arrays.weight) take(weight, points);
    take(arrays.column, points);
    take(arrays.row, points);
    take(arrays.reach, points);
    take(arrays.offset, points);
  }
  take(scratch_.locations, 2 * points);
  take(scratch_.weights, points);
  take(scratch_.output, channels);
  std::fill_n(scratch_.locations, 2 * points, std::numeric_limits<float>::quiet_NaN());
}

}  // namespace msda::cpu_rows
