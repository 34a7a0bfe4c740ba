#include "rows.hpp"

#include <algorithm>
#include <limits>

#include "instruction_set.hpp"
#include "levels.hpp"

namespace msda::cpu_rows {
namespace {

/// Floats in the widest vector of any instruction set.
constexpr std::int64_t kWidestVector = 16;

std::int64_t bytes_of(DType type) { return static_cast<std::int64_t>(size_of(type)); }

bool copies_planes(const Problem& problem, const std::string& head_planes) {
  return head_planes == "on" || (head_planes == "auto" && HeadPlanes::worthwhile(problem));
}

}  // namespace

std::vector<ParameterSpec> row_parameters() {
  std::vector<std::string> sets = {"auto"};
  for (std::string& name : built_instruction_sets()) sets.push_back(std::move(name));
  return {
      ParameterSpec::one_of<std::string>(
          "isa", "vector instructions to use; auto takes the widest this CPU has", "auto", sets),
      ParameterSpec::one_of<std::string>(
          "head_planes",
          "copy the values of each head together first; auto does so when they are read often",
          "auto", {"auto", "on", "off"})};
}

std::optional<std::string> rows_unsupported(const Problem& problem, const Parameters& parameters) {
  const auto& set = parameters.get<std::string>("isa");
  if (function_for(set) == nullptr) return "this CPU has no " + set + " instructions";
  constexpr std::int64_t kLongestSide = std::int64_t{1} << 22;
  for (const Level& level : problem.levels) {
    if (std::max(level.height, level.width) > kLongestSide) {
      return "a level is longer than " + std::to_string(kLongestSide) +
             " pixels, where float coordinates no longer tell half a pixel";
    }
  }
  return std::nullopt;
}

Rows::Rows(const Problem& problem, const Parameters& parameters)
    : function_(function_for(parameters.get<std::string>("isa"))) {
  Problem read = problem;  // as the vector code reads `value`
  if (copies_planes(problem, parameters.get<std::string>("head_planes"))) {
    planes_.emplace(problem);
    read.layout = ValueLayout::kZeroBorder;
  }
  const cpu::Levels levels(read);
  const auto slice = problem.channels * bytes_of(problem.types.value);
  plan_.types = problem.types;
  plan_.queries = problem.queries;
  plan_.heads = problem.heads;
  plan_.channels = problem.channels;
  plan_.points = problem.row_points();
  plan_.padded_points = (plan_.points + kWidestVector - 1) / kWidestVector * kWidestVector;
  plan_.location_bytes = 2 * plan_.points * bytes_of(problem.types.location);
  plan_.weight_bytes = plan_.points * bytes_of(problem.types.weight);
  plan_.output_bytes = problem.channels * bytes_of(problem.types.output);
  plan_.zero_border = read.layout == ValueLayout::kZeroBorder;
  plan_.pixel_bytes = planes_ ? slice : problem.heads * slice;
  plan_.head_bytes = planes_ ? levels.spatial_size() * slice : slice;
  plan_.image_bytes = levels.spatial_size() * problem.heads * slice;
  for (std::size_t l = 0; l < levels.places().size(); ++l) {
    const cpu::LevelPlace& level = levels.places()[l];
    const auto points = static_cast<std::size_t>(problem.points_of(l));
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
  const forward::View view(tensors);
  const void* value = planes_ ? planes_->data() : view.value;
  const RowTensors bytes{.value = static_cast<const unsigned char*>(value),
                         .locations = static_cast<const unsigned char*>(view.locations),
                         .weights = static_cast<const unsigned char*>(view.weights),
                         .output = static_cast<unsigned char*>(view.output)};
  function_(plan_, bytes, range, workspace.scratch());
}

Workspace::Workspace(const RowPlan& plan) {
  const auto points = static_cast<std::size_t>(plan.padded_points);
  const auto channels = static_cast<std::size_t>(plan.channels);
  // Each of the arrays below starts on a cache line of its own.
  const auto lines = [](std::size_t bytes) { return (bytes + 63) / 64; };
  memory_.resize(8 * lines(4 * points) + 2 * lines(8 * points) + lines(4 * channels));
  CacheLine* next = memory_.data();
  const auto take = [&]<class T>(T*& array, std::size_t count) {
    array = reinterpret_cast<T*>(next);
    next += lines(count * sizeof(T));
  };
  for (float*& weight : scratch_.points.weight) take(weight, points);
  take(scratch_.points.column, points);
  take(scratch_.points.row, points);
  take(scratch_.points.reach, points);
  take(scratch_.points.offset, points);
  take(scratch_.locations, 2 * points);
  take(scratch_.weights, points);
  take(scratch_.output, channels);
  // Entries past the last point never count.
  std::fill_n(scratch_.locations, 2 * points, std::numeric_limits<float>::quiet_NaN());
}

}  // namespace msda::cpu_rows
