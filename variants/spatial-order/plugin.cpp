#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class SpatialOrder final : public msda::Optimization {
 public:
  SpatialOrder()
      : Optimization(
            {.name = "spatial-order",
             .summary = "queries worked on in the order of their mean location on a Morton curve",
             .parameters = {ParameterSpec::one_of<std::int64_t>(
                 "blocks", "blocks that sort an image's queries, from 2 on as a cluster", 1,
                 {1, 2, 4, 8})}},
            {.skeleton = "direct",
             .slot = "order",
             .type = "msda::spatial_order::Order",
             .header = "spatial_order/order.cuh"}) {}

  std::optional<std::string> unsupported(const msda::Problem&, const msda::DeviceInfo& device,
                                         const msda::Parameters& parameters) const override {
    if (parameters.get<std::int64_t>("blocks") == 1 || device.compute_capability >= 90) {
      return std::nullopt;
    }
    return "clusters need compute capability 9.0";
  }

  std::vector<std::string> evidence(const msda::Problem&,
                                    const msda::Parameters& parameters) const override {
    if (parameters.get<std::int64_t>("blocks") == 1) return {"tiles.moved > 0"};
    return {"tiles.moved > 0", "prepass.shared.remote-loads > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(SpatialOrder)
