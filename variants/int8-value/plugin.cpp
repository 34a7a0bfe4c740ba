#include <msda/levels.hpp>
#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class Int8Value final : public msda::Optimization {
 public:
  Int8Value()
      : Optimization(
            {.name = "int8-value",
             .summary = "values as 8-bit integers with a scale for each image, head and level",
             .parameters = {ParameterSpec::one_of<std::string>(
                 "blend",
                 "half: as fp16; columns: a pixel stored with the one below it, both blended by "
                 "one "
                 "integer instruction, for attention weights of -2 to 2",
                 "half", {"half", "columns"})}},
            {.skeleton = "direct",
             .slot = "arithmetic",
             .type = "msda::int8_value::Arithmetic",
             .header = "int8_value/arithmetic.cuh",
             .traits = {"encodes-values"},
             .excludes = {msda::needs_fixed_levels(
                 "values are copied to an array whose places are constants of the unit")}}) {}

  msda::Arithmetic arithmetic(const msda::Problem& problem,
                              const msda::Parameters& parameters) const override {
    msda::Arithmetic arithmetic;
    arithmetic.value_step = 1.0 / 127;  // of the largest magnitude
    if (in_columns(parameters)) {
      arithmetic.weights = {{0x1p-15, 0x1p-15}, 1};
      return arithmetic;
    }
    arithmetic.weights = {msda::kFp16, 1};
    arithmetic.sums = {msda::kFp16, static_cast<double>(4 * problem.points)};  // of a batch
    return arithmetic;
  }

  std::vector<std::string> evidence(const msda::Problem&,
                                    const msda::Parameters& parameters) const override {
    return {"prepass.workspace.layout.stores > 0",
            in_columns(parameters) ? "dot2 > 0" : "fma2 > 0"};
  }

 private:
  static bool in_columns(const msda::Parameters& parameters) {
    return parameters.get<std::string>("blend") == "columns";
  }
};

}  // namespace

MSDA_PLUGIN(Int8Value)
