#include <msda/error.hpp>
#include <msda/problem.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace msda {
namespace {

/// One factor of a product, with the words an error message calls it by.
struct Factor {
  std::string_view name;
  std::int64_t value;
};

[[noreturn]] void throw_overflow(std::string_view field, std::initializer_list<Factor> factors) {
  std::string product;
  for (const Factor& factor : factors) {
    product += fmt::format("{}{}={}", product.empty() ? "" : " * ", factor.name, factor.value);
  }
  throw UsageError(fmt::format("{}: {} does not fit in 63 bits", field, product));
}

/// The product of the factors; throws UsageError naming `field` when it leaves 63 bits.
std::int64_t checked_product(std::string_view field, std::initializer_list<Factor> factors) {
  std::int64_t product = 1;
  for (const Factor& factor : factors) {
    if (__builtin_mul_overflow(product, factor.value, &product)) throw_overflow(field, factors);
  }
  return product;
}

std::int64_t checked_sum(std::string_view field, std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    throw UsageError(fmt::format("{}: {} + {} does not fit in 63 bits", field, a, b));
  }
  return sum;
}

/// Pixels that a border adds to a row or a column.
std::int64_t border_of(ValueLayout layout) { return layout == ValueLayout::kZeroBorder ? 2 : 0; }

std::int64_t tensor_bytes(std::string_view field, std::int64_t elements, DType type) {
  return checked_product(
      field, {{"elements", elements}, {"bytes", static_cast<std::int64_t>(size_of(type))}});
}

void require_positive(std::string_view field, std::int64_t value) {
  if (value < 1) throw UsageError(fmt::format("{} is {}: it must be at least 1", field, value));
}

Problem with_layout(Problem problem, ValueLayout layout) {
  problem.layout = layout;
  return problem;
}

/// "starts 0, 14720 with spatial_size 18400"
std::string starts_and_size(const Problem& problem) {
  return fmt::format("starts {} with spatial_size {}", fmt::join(problem.level_starts(), ", "),
                     problem.spatial_size());
}

std::string consistent_choices(const Problem& problem) {
  return fmt::format("consistent are {}, or, inside a border of one zero pixel, {}",
                     starts_and_size(with_layout(problem, ValueLayout::kPlain)),
                     starts_and_size(with_layout(problem, ValueLayout::kZeroBorder)));
}

/// What is wrong with level l when it starts at `start`; empty when nothing is.
std::string fault_of_level(const Problem& problem, std::size_t l, std::int64_t start,
                           std::int64_t expected, std::int64_t spatial_size) {
  if (start == expected) return {};
  const Level& level = problem.levels[l];
  std::int64_t end = 0;
  const bool overflows = __builtin_add_overflow(start, problem.level_pixels(l), &end);
  const std::string where =
      overflows ? "its end does not fit in 63 bits" : fmt::format("it would end at {}", end);
  const bool beyond = overflows || end > spatial_size;
  return fmt::format("level {} ({}x{}) starts at {} instead of {}: {}{}", l, level.height,
                     level.width, start, expected, where,
                     beyond ? fmt::format(", beyond spatial_size {}", spatial_size) : "");
}

}  // namespace

std::int64_t Problem::level_pitch(std::size_t l) const {
  return checked_sum("levels: width", levels.at(l).width, border_of(layout));
}

std::int64_t Problem::level_pixels(std::size_t l) const {
  const std::int64_t rows = checked_sum("levels: height", levels.at(l).height, border_of(layout));
  return checked_product("levels: pixels", {{"height", rows}, {"width", level_pitch(l)}});
}

std::vector<std::int64_t> Problem::level_starts() const {
  std::vector<std::int64_t> starts;
  starts.reserve(levels.size());
  std::int64_t next = 0;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    starts.push_back(next);
    next = checked_sum("spatial_size", next, level_pixels(l));
  }
  return starts;
}

std::int64_t Problem::spatial_size() const {
  std::int64_t size = 0;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    size = checked_sum("spatial_size", size, level_pixels(l));
  }
  return size;
}

std::int64_t Problem::value_elements() const {
  return checked_product("value", {{"batch", batch},
                                   {"spatial_size", spatial_size()},
                                   {"heads", heads},
                                   {"channels", channels}});
}

std::int64_t Problem::weight_elements() const {
  return checked_product("weights", {{"batch", batch},
                                     {"queries", queries},
                                     {"heads", heads},
                                     {"levels", level_count()},
                                     {"points", points}});
}

std::int64_t Problem::location_elements() const {
  return checked_product("locations", {{"points in all", weight_elements()}, {"coordinates", 2}});
}

std::int64_t Problem::output_elements() const {
  return checked_product(
      "output", {{"batch", batch}, {"queries", queries}, {"heads", heads}, {"channels", channels}});
}

std::int64_t Problem::total_bytes() const {
  std::int64_t total = tensor_bytes("value", value_elements(), types.value);
  total = checked_sum("total bytes", total,
                      tensor_bytes("locations", location_elements(), types.location));
  total =
      checked_sum("total bytes", total, tensor_bytes("weights", weight_elements(), types.weight));
  return checked_sum("total bytes", total, tensor_bytes("output", output_elements(), types.output));
}

std::int64_t Problem::gathered_bytes() const {
  return checked_product("gathered bytes",
                         {{"points in all", weight_elements()},
                          {"corners", 4},
                          {"channels", channels},
                          {"bytes", static_cast<std::int64_t>(size_of(types.value))}});
}

std::int64_t Problem::flops() const {
  constexpr std::int64_t kFlopsPerPoint = 16;  // 4 blends of 4, the way published figures count
  return checked_product("flops", {{"points in all", weight_elements()},
                                   {"channels", channels},
                                   {"operations", kFlopsPerPoint}});
}

void validate(const Problem& problem) {
  require_positive("batch", problem.batch);
  require_positive("queries", problem.queries);
  require_positive("heads", problem.heads);
  require_positive("channels", problem.channels);
  require_positive("points", problem.points);
  if (problem.levels.empty() || problem.level_count() > kMaxLevels) {
    throw UsageError(fmt::format("levels has {} entries: it must have 1 to {}",
                                 problem.levels.size(), kMaxLevels));
  }
  for (std::size_t l = 0; l < problem.levels.size(); ++l) {
    require_positive(fmt::format("levels[{}].height", l), problem.levels[l].height);
    require_positive(fmt::format("levels[{}].width", l), problem.levels[l].width);
  }
  // These throw when a product leaves 63 bits, so that no later use has to.
  static_cast<void>(problem.total_bytes());
  static_cast<void>(problem.gathered_bytes());
  static_cast<void>(problem.flops());
}

void validate_level_starts(const Problem& problem, const std::vector<std::int64_t>& starts,
                           std::int64_t spatial_size) {
  const std::vector<std::int64_t> expected = problem.level_starts();
  if (starts.size() != expected.size()) {
    throw UsageError(fmt::format("level_start_index has {} entries for {} levels; {}",
                                 starts.size(), expected.size(), consistent_choices(problem)));
  }
  std::vector<std::string> faults;
  for (std::size_t l = 0; l < starts.size(); ++l) {
    std::string fault = fault_of_level(problem, l, starts[l], expected[l], spatial_size);
    if (!fault.empty()) faults.push_back(std::move(fault));
  }
  if (faults.empty() && spatial_size != problem.spatial_size()) {
    faults.push_back(fmt::format("the levels have {} pixels, but spatial_size is {}",
                                 problem.spatial_size(), spatial_size));
  }
  if (!faults.empty()) {
    throw UsageError(fmt::format("level_start_index: {}; {}", fmt::join(faults, "; "),
                                 consistent_choices(problem)));
  }
}

std::string describe(const Problem& problem) {
  const Types& t = problem.types;
  const std::string types =
      t == Types::all(t.value)
          ? std::string(name_of(t.value))
          : fmt::format("value={} location={} weight={} output={}", name_of(t.value),
                        name_of(t.location), name_of(t.weight), name_of(t.output));
  return fmt::format("B={} Q={} H={} C={} L={} P={} {}{}", problem.batch, problem.queries,
                     problem.heads, problem.channels, problem.level_count(), problem.points, types,
                     problem.layout == ValueLayout::kZeroBorder ? " zero-border" : "");
}

}  // namespace msda
