#include "render/tables/shapes.hpp"

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace msda {
namespace {

/// "92x160 46x80": height x width, the finest first.
std::string levels_text(const ProblemEntry& entry) {
  std::vector<std::string> levels;
  for (const Level& level : entry.problem.levels) {
    levels.push_back(fmt::format("{}x{}", level.height, level.width));
  }
  return fmt::format("{}", fmt::join(levels, " "));
}

/// "4", or "3 6 3" where levels differ.
std::string points_of(const ProblemEntry& entry) {
  const Problem& problem = entry.problem;
  return problem.level_points.empty() ? std::to_string(problem.points)
                                      : fmt::format("{}", fmt::join(problem.level_points, " "));
}

/// Tensors from files were not generated.
std::string distribution_text(const ProblemEntry& entry) {
  return entry.directory ? "files" : std::string(name_of(entry.generation.distribution));
}

std::optional<double> sigma_of(const ProblemEntry& entry) {
  const Distribution distribution = entry.generation.distribution;
  const bool has_one =
      distribution == Distribution::kLocal || distribution == Distribution::kClustered;
  return when(!entry.directory && has_one, entry.generation.sigma);
}

}  // namespace

const ColumnsOf<ProblemEntry>& shape_columns() {
  static const ColumnsOf<ProblemEntry> kColumns = {
      {"operator", kCsv, [](const ProblemEntry& p) { return p.op; }},
      {"batch", kCsv, [](const ProblemEntry& p) { return p.problem.batch; }},
      {"queries", kCsv, [](const ProblemEntry& p) { return p.problem.queries; }},
      {"heads", kCsv, [](const ProblemEntry& p) { return p.problem.heads; }},
      {"channels", kCsv, [](const ProblemEntry& p) { return p.problem.channels; }},
      {"points", kCsv, points_of},
      {"levels", kCsv, levels_text},
      {"value_type", kCsv, [](const ProblemEntry& p) { return name_of(p.problem.types.value); }},
      {"location_type", kCsv,
       [](const ProblemEntry& p) { return name_of(p.problem.types.location); }},
      {"weight_type", kCsv, [](const ProblemEntry& p) { return name_of(p.problem.types.weight); }},
      {"output_type", kCsv, [](const ProblemEntry& p) { return name_of(p.problem.types.output); }},
      {"distribution", kCsv, distribution_text},
      {"sigma", kCsv, sigma_of},
  };
  return kColumns;
}

std::optional<Sweep> sweep_of(const std::vector<ProblemEntry>& problems) {
  constexpr std::size_t kFewest = 3;
  if (problems.size() < kFewest) return std::nullopt;
  std::optional<Sweep> sweep;
  for (const ColumnOf<ProblemEntry>& column : shape_columns()) {
    std::set<nlohmann::json> different;
    for (const ProblemEntry& problem : problems) different.insert(column.value(problem));
    if (different.size() == 1) continue;
    const bool is_number = different.begin()->is_number() && different.rbegin()->is_number();
    if (sweep || !is_number || different.size() != problems.size()) return std::nullopt;
    sweep = Sweep{.key = column.key, .values = {}};
    for (const ProblemEntry& problem : problems) {
      sweep->values[problem.name()] = column.value(problem).get<double>();
    }
  }
  return sweep;
}

}  // namespace msda
