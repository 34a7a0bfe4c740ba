#include <msda/operators/backward.hpp>
#include <msda/plugin.hpp>

namespace {

class NativeSums final : public msda::Optimization {
 public:
  NativeSums()
      : Optimization({.name = "native-sums",
                      .summary = "sums in grad_value itself, in its own type",
                      .parameters = {}},
                     {.skeleton = "backward",
                      .slot = "accumulator",
                      .type = "msda::native_sums::Accumulator",
                      .header = "native_sums/accumulator.cuh"}) {}

  msda::Arithmetic arithmetic(const msda::Problem& problem,
                              const msda::Parameters&) const override {
    msda::Arithmetic arithmetic;
    if (problem.types.value == msda::kWidest) return arithmetic;
    const msda::Format format = msda::format_of(problem.types.value);
    arithmetic.accumulation = {format, 0};  // every addition, and each contribution before it
    return arithmetic;
  }

  bool deterministic(std::string_view output, const msda::Parameters&) const override {
    return output != msda::backward::kTensors[msda::backward::kGradValue].name;
  }
};

}  // namespace

MSDA_PLUGIN(NativeSums)
