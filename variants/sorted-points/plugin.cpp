#include <cstdint>
#include <string>

#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

constexpr std::int64_t kMostPoints = std::int64_t{1} << 30;  ///< of a level, numbered in 32 bits

/// Shares of some ten thousand points occupy enough blocks, and a cell is looked up in few.
std::int64_t shares_of(const msda::Problem& problem) {
  constexpr std::int64_t kPoints = 8192;
  constexpr std::int64_t kMost = 8;
  std::int64_t shares = 1;
  while (shares < kMost && problem.queries * problem.points > shares * kPoints) shares *= 2;
  return shares;
}

class SortedPoints final : public msda::Optimization {
 public:
  SortedPoints()
      : Optimization(
            {.name = "sorted-points",
             .summary = "all points are sorted by the pixels that they touch, each summed once",
             .parameters =
                 {ParameterSpec::integer(
                      "budget", "kilobytes of shared memory for the counts of cells", 72, 1, 216),
                  ParameterSpec::one_of<std::int64_t>(
                      "shares",
                      "parts of the queries, each sorted by itself; 0: as many as the queries' "
                      "number asks for",
                      0, {0, 1, 2, 4, 8, 16})}},
            {.skeleton = "backward",
             .slot = "accumulator",
             .type = "msda::sorted_points::Accumulator",
             .header = "sorted_points/accumulator.cuh",
             .excludes = {{"adds-in-blocks", "passes beside the kernel add everything"}}}) {}

  msda::Parameters settled(const msda::Problem& problem,
                           const msda::Parameters& parameters) const override {
    auto shares = parameters.get<std::int64_t>("shares");
    if (shares == 0) shares = shares_of(problem);
    return msda::Parameters(
        {{"budget", parameters.get<std::int64_t>("budget")}, {"shares", shares}});
  }

  std::optional<std::string> unsupported(const msda::Problem& problem, const msda::DeviceInfo&,
                                         const msda::Parameters&) const override {
    if (problem.points == 0 || problem.queries <= kMostPoints / problem.points) {
      return std::nullopt;
    }
    return "a level of an image has more than 2^30 points";
  }

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"prepass.workspace.accumulator.stores > 0", "postpass.workspace.accumulator.loads > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(SortedPoints)
