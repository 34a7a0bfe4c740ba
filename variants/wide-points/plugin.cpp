#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class WidePoints final : public msda::Optimization {
 public:
  WidePoints()
      : Optimization({.name = "wide-points",
                      .summary = "a lane loads the locations and weights of a batch together",
                      .parameters = {ParameterSpec::flag(
                          "outside-together",
                          "points without weight all read the first pixel of their level", false)}},
                     {.skeleton = "direct",
                      .slot = "metadata",
                      .type = "msda::wide_points::Metadata",
                      .header = "wide_points/metadata.cuh"}) {}
};

}  // namespace

MSDA_PLUGIN(WidePoints)
