#include <msda/plugin.hpp>

namespace {

class SpatialOrder final : public msda::Optimization {
 public:
  SpatialOrder()
      : Optimization(
            {.name = "spatial-order",
             .summary = "queries worked on in the order of their mean location on a Morton curve",
             .parameters = {}},
            {.skeleton = "direct",
             .slot = "order",
             .type = "msda::spatial_order::Order",
             .header = "spatial_order/order.cuh"}) {}

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"tiles.reordered > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(SpatialOrder)
