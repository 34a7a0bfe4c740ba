#include <msda/operators/backward.hpp>
#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class NativeSums final : public msda::Optimization {
 public:
  NativeSums()
      : Optimization({.name = "native-sums",
                      .summary = "sums in grad_value itself, in its own type",
                      .parameters = {ParameterSpec::one_of<std::string>(
                          "products",
                          "of a corner's weight and the gradient: in float32, or in the type of "
                          "the sums, two at a time",
                          "fp32", {"fp32", "pairs"})}},
                     {.skeleton = "backward",
                      .slot = "accumulator",
                      .type = "msda::native_sums::Accumulator",
                      .header = "native_sums/accumulator.cuh"}) {}

  msda::Arithmetic arithmetic(const msda::Problem& problem,
                              const msda::Parameters& parameters) const override {
    msda::Arithmetic arithmetic;
    if (problem.types.value == msda::kWidest) return arithmetic;
    const msda::Format format = msda::format_of(problem.types.value);
    arithmetic.accumulation = {format, 0};  // every addition, and each contribution before it
    if (parameters.get<std::string>("products") == "pairs") arithmetic.weights = {format, 1};
    return arithmetic;
  }

  bool deterministic(std::string_view output, const msda::Parameters&) const override {
    return output != msda::backward::kTensors[msda::backward::kGradValue].name;
  }
};

}  // namespace

MSDA_PLUGIN(NativeSums)
