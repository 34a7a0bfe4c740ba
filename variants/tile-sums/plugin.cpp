#include <algorithm>

#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class TileSums final : public msda::Optimization {
 public:
  TileSums()
      : Optimization(
            {.name = "tile-sums",
             .summary = "blocks that own some pixels look for the points that touch these",
             .parameters = {ParameterSpec::integer(
                                "budget", "kilobytes of shared memory for the sums of a tile", 32,
                                1, 128),
                            ParameterSpec::integer(
                                "points", "points of a level for each tile, as near as possible",
                                128, 1, 1 << 20)}},
            {.skeleton = "backward",
             .slot = "accumulator",
             .type = "msda::tile_sums::Accumulator",
             .header = "tile_sums/accumulator.cuh",
             .excludes = {{"adds-in-blocks", "a pass before the kernel adds everything"}}}) {}

  msda::Arithmetic arithmetic(const msda::Problem& problem,
                              const msda::Parameters&) const override {
    // A unit is a part of what all listed points add at most, if each were the largest of them; in
    // 16 bits also 2^-22 of the largest contribution.
    constexpr double kMargin = 0.98;
    const double points = static_cast<double>(problem.queries * problem.points);
    const double of_one = problem.types.value == msda::kWidest ? 0.0 : 0x1p-22;
    msda::Arithmetic arithmetic;
    arithmetic.accumulation_step = std::max(std::max(points, 1.0) * 0x1p-31, of_one) / kMargin;
    return arithmetic;
  }

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"prepass.shared.atomics > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(TileSums)
