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

  msda::Arithmetic arithmetic(const msda::Problem& problem,
                              const msda::Parameters&) const override {
    msda::Arithmetic arithmetic;
    arithmetic.value_step = 1.0 / 127;  // of the largest magnitude
    arithmetic.weights = {msda::kFp16, 1};
    arithmetic.sums = {msda::kFp16, static_cast<double>(4 * problem.points)};  // of a batch
    return arithmetic;
  }

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"prepass.workspace.layout.stores > 0", "fma2 > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(Int8Value)
