#include <msda/plugin.hpp>

namespace {

class Int8Value final : public msda::Optimization {
 public:
  Int8Value()
      : Optimization(
            {.name = "int8-value",
             .summary = "values as 8-bit integers with a scale for each image, head and level",
             .parameters = {}},
            {.skeleton = "direct",
             .slot = "arithmetic",
             .type = "msda::int8_value::Arithmetic",
             .header = "int8_value/arithmetic.cuh",
             .traits = {"encodes-values"}}) {}

  std::optional<double> tolerance(const msda::Problem&, const msda::Parameters&) const override {
    return 5e-2;
  }
};

}  // namespace

MSDA_PLUGIN(Int8Value)
