#include <algorithm>
#include <cmath>

#include <msda/lanes.hpp>
#include <msda/levels.hpp>
#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

constexpr std::int64_t kLeastRows = 2;

/// Of the queries' grid: level 0's own, where they are the pixels of the levels, one level after
/// the other; otherwise those of a grid in its proportions.
std::int64_t columns_of(const msda::Problem& problem) {
  const msda::Level& largest = problem.levels.front();
  if (problem.queries == problem.pixels()) return largest.width;
  const double aspect = static_cast<double>(largest.width) / static_cast<double>(largest.height);
  return std::max(1LL, std::llround(std::sqrt(static_cast<double>(problem.queries) * aspect)));
}

/// The most rows up to `most` that leave a sixteenth of the queries behind the last whole strip, or
/// less; where none do, those that leave the fewest.
std::int64_t rows_of(std::int64_t queries, std::int64_t columns, std::int64_t most) {
  constexpr std::int64_t kPart = 16;
  std::int64_t rows = kLeastRows;
  std::int64_t fewest = queries;
  for (std::int64_t tried = most; tried >= kLeastRows; --tried) {
    const std::int64_t left = queries % (tried * columns);
    if (left * kPart <= queries) return tried;
    if (left < fewest) {
      fewest = left;
      rows = tried;
    }
  }
  return rows;
}

class StripOrder final : public msda::Optimization {
 public:
  StripOrder()
      : Optimization(
            {.name = "strip-order",
             .summary = "queries that form a grid are visited in strips of some of its rows",
             .parameters =
                 {ParameterSpec::integer("rows",
                                         "of a strip, at most; fewer where those divide "
                                         "the grid better",
                                         8, kLeastRows, 64),
                  ParameterSpec::integer(
                      "columns",
                      "of the grid; 0: as many as level 0 has where the queries are the levels' "
                      "pixels, otherwise as a grid of its proportions has",
                      0, 0, 65536)}},
            {.skeleton = "direct",
             .slot = "order",
             .type = "msda::strip_order::Order",
             .header = "strip_order/order.cuh",
             .excludes = {msda::needs_fixed_levels("the columns of the grid of queries are a "
                                                   "constant that follows from the levels")}}) {}

  msda::Parameters settled(const msda::Problem& problem,
                           const msda::Parameters& parameters) const override {
    auto columns = parameters.get<std::int64_t>("columns");
    // What is too much for this problem was given for a larger one, as where evidence is counted.
    if (columns == 0 || kLeastRows * columns > problem.queries) columns = columns_of(problem);
    const auto most = parameters.get<std::int64_t>("rows");
    return msda::Parameters(
        {{"rows", rows_of(problem.queries, columns, most)}, {"columns", columns}});
  }

  std::optional<std::string> unsupported(const msda::Problem& problem, const msda::DeviceInfo&,
                                         const msda::Parameters& parameters) const override {
    auto columns = parameters.get<std::int64_t>("columns");
    if (columns == 0) columns = columns_of(problem);
    if (kLeastRows * columns > problem.queries) {
      return std::to_string(problem.queries) + " queries are not " + std::to_string(kLeastRows) +
             " rows of " + std::to_string(columns) + " columns";
    }
    return msda::order_refusal(problem);
  }

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"tiles.moved > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(StripOrder)
