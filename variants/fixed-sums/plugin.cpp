#include <algorithm>

#include <msda/plugin.hpp>

namespace {

class FixedSums final : public msda::Optimization {
 public:
  FixedSums()
      : Optimization({.name = "fixed-sums",
                      .summary = "sums as whole numbers: the same bits in every run",
                      .parameters = {}},
                     {.skeleton = "backward",
                      .slot = "accumulator",
                      .type = "msda::fixed_sums::Accumulator",
                      .header = "fixed_sums/accumulator.cuh",
                      .traits = {"sums-whole-numbers"}}) {}

  msda::Arithmetic arithmetic(const msda::Problem& problem,
                              const msda::Parameters&) const override {
    // A unit is a part of what all rows of an image and head add at most; in 16 bits also 2^-22 of
    // the largest contribution.
    constexpr double kMargin = 0.98;
    const double points = static_cast<double>(problem.queries * problem.points);
    msda::Arithmetic arithmetic;
    const double of_one = problem.types.value == msda::kWidest ? 0.0 : 0x1p-22;
    arithmetic.accumulation_step = std::max(std::max(points, 1.0) * 0x1p-31, of_one) / kMargin;
    return arithmetic;
  }

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"workspace.accumulator.atomics > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(FixedSums)
