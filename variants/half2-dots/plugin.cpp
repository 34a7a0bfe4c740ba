#include <msda/plugin.hpp>

namespace {

class Half2Dots final : public msda::Optimization {
 public:
  Half2Dots()
      : Optimization({.name = "half2-dots",
                      .summary = "products with the gradient in 16 bits, two at a time",
                      .parameters = {}},
                     {.skeleton = "backward",
                      .slot = "dots",
                      .type = "msda::half2_dots::Dots",
                      .header = "half2_dots/dots.cuh"}) {}

  msda::Arithmetic arithmetic(const msda::Problem& problem,
                              const msda::Parameters&) const override {
    msda::Arithmetic arithmetic;
    const msda::DType value = problem.types.value;
    if (value == msda::kWidest || problem.types.output != value) return arithmetic;
    constexpr double kLaneChannels = 8;  // product and sum round together
    arithmetic.sums = {msda::format_of(value), kLaneChannels};
    return arithmetic;
  }

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"fma2 > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(Half2Dots)
