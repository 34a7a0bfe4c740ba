#include <msda/lanes.hpp>
#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class InterleavedOrder final : public msda::Optimization {
 public:
  InterleavedOrder()
      : Optimization({.name = "interleaved-order",
                      .summary = "neighbouring lanes work on queries that lie `stride` apart",
                      .parameters = {ParameterSpec::integer("stride", "queries between neighbours",
                                                            32, 2, 65536)}},
                     {.skeleton = "direct",
                      .slot = "order",
                      .type = "msda::interleaved_order::Order",
                      .header = "interleaved_order/order.cuh"}) {}

  std::optional<std::string> unsupported(const msda::Problem& problem, const msda::DeviceInfo&,
                                         const msda::Parameters& parameters) const override {
    const auto stride = parameters.get<std::int64_t>("stride");
    if (problem.queries <= stride) {
      return "a stride of " + std::to_string(stride) + " leaves the order of " +
             std::to_string(problem.queries) + " queries as it is";
    }
    return msda::order_refusal(problem);
  }

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"tiles.moved > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(InterleavedOrder)
