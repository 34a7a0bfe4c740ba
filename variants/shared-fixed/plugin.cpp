#include <algorithm>

#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class SharedFixed final : public msda::Optimization {
 public:
  SharedFixed()
      : Optimization({.name = "shared-fixed",
                      .summary = "the smallest levels summed in shared memory as whole numbers",
                      .parameters = {ParameterSpec::integer(
                          "budget",
                          "kilobytes of shared memory for sums; 0: what the block "
                          "has left of 227",
                          0, 0, 220)}},
                     {.skeleton = "backward",
                      .slot = "sum",
                      .type = "msda::shared_fixed::Sum",
                      .header = "shared_fixed/sum.cuh",
                      .traits = {"adds-in-blocks"}}) {}

  msda::Arithmetic arithmetic(const msda::Problem& problem,
                              const msda::Parameters&) const override {
    // A unit is a part of what all points of an item add to a pixel at most, in float32 together
    // with its neighbours; in 16 bits also 2^-22 of the largest contribution.
    constexpr double kMargin = 0.98;
    const bool is_wide = problem.types.value == msda::kWidest;
    const double points =
        (is_wide ? 4.0 : 1.0) * static_cast<double>(problem.queries * problem.points);
    msda::Arithmetic arithmetic;
    arithmetic.accumulation_step = std::max(points * 0x1p-31, is_wide ? 0 : 0x1p-22) / kMargin;
    return arithmetic;
  }

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"shared.sum.atomics > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(SharedFixed)
