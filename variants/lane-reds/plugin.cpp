#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class LaneReds final : public msda::Optimization {
 public:
  LaneReds()
      : Optimization({.name = "lane-reds",
                      .summary = "each lane adds the channels that it reads",
                      .parameters = {ParameterSpec::flag(
                          "scalar", "one channel with each instruction", false)}},
                     {.skeleton = "backward",
                      .slot = "red-map",
                      .type = "msda::lane_reds::RedMap",
                      .header = "lane_reds/red_map.cuh"}) {}
};

}  // namespace

MSDA_PLUGIN(LaneReds)
