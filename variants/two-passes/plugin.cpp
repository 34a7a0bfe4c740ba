#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class TwoPasses final : public msda::Optimization {
 public:
  TwoPasses()
      : Optimization({.name = "two-passes",
                      .summary = "grad_value in a pass of its own, beside the gradients of points",
                      .parameters = {ParameterSpec::one_of<std::string>(
                          "order",
                          "of clearing, adding and what follows: in a branch beside the other "
                          "gradients, or before them",
                          "forked", {"forked", "serial"})}},
                     {.skeleton = "backward",
                      .slot = "fusion",
                      .type = "msda::two_passes::Fusion",
                      .header = "two_passes/fusion.cuh"}) {}
};

}  // namespace

MSDA_PLUGIN(TwoPasses)
