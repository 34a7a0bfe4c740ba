#include <msda/plugin.hpp>

namespace {

class Fp8Value final : public msda::Optimization {
 public:
  Fp8Value()
      : Optimization({.name = "fp8-value",
                      .summary = "values as 8-bit floating point (e4m3) with a scale for each "
                                 "image, head and level",
                      .parameters = {}},
                     {.skeleton = "direct",
                      .slot = "arithmetic",
                      .type = "msda::fp8_value::Arithmetic",
                      .header = "fp8_value/arithmetic.cuh",
                      .traits = {"encodes-values"}}) {}

  std::optional<double> tolerance(const msda::Problem&, const msda::Parameters&) const override {
    return 5e-2;
  }
};

}  // namespace

MSDA_PLUGIN(Fp8Value)
