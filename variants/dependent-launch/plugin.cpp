#include <msda/plugin.hpp>

namespace {

class DependentLaunch final : public msda::Optimization {
 public:
  DependentLaunch()
      : Optimization({.name = "dependent-launch",
                      .summary = "blocks are set up while the launch before in the stream ends",
                      .parameters = {}},
                     {.skeleton = "direct",
                      .slot = "launch",
                      .type = "msda::dependent_launch::Launch",
                      .header = "dependent_launch/launch.cuh"}) {}

  std::optional<std::string> unsupported(const msda::Problem&, const msda::DeviceInfo& device,
                                         const msda::Parameters&) const override {
    if (device.compute_capability >= 90) return std::nullopt;
    return "programmatic dependent launch needs compute capability 9.0";
  }

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"launch.releases > 0", "launch.waits > 0", "sass.ACQBULK > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(DependentLaunch)
