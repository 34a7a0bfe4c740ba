#include <msda/levels.hpp>
#include <msda/plugin.hpp>

namespace {

class Fp8Value final : public msda::Optimization {
 public:
  Fp8Value()
      : Optimization(
            {.name = "fp8-value",
             .summary = "values as 8-bit floating point (e4m3) with a scale for each "
                        "image, head and level",
             .parameters = {}},
            {.skeleton = "direct",
             .slot = "arithmetic",
             .type = "msda::fp8_value::Arithmetic",
             .header = "fp8_value/arithmetic.cuh",
             .traits = {"encodes-values"},
             .excludes = {msda::needs_fixed_levels(
                 "values are copied to an array whose places are constants of the unit")}}) {}

  msda::Arithmetic arithmetic(const msda::Problem& problem,
                              const msda::Parameters&) const override {
    msda::Arithmetic arithmetic;
    arithmetic.values = {msda::kE4m3, 1};
    arithmetic.value_step = 2 * msda::kE4m3.smallest / 448;  // the largest magnitude becomes 448
    arithmetic.weights = {msda::kFp16, 1};
    arithmetic.sums = {msda::kFp16, static_cast<double>(4 * problem.points)};  // of a batch
    return arithmetic;
  }

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"prepass.workspace.layout.stores > 0", "fma2 > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(Fp8Value)
