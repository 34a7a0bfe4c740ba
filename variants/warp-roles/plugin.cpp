#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class WarpRoles final : public msda::Optimization {
 public:
  WarpRoles()
      : Optimization(
            {.name = "warp-roles",
             .summary = "producer warps beside those that gather: the mapping's threads",
             .parameters =
                 {ParameterSpec::integer("producers", "producer warps of a block", 2, 1, 8),
                  ParameterSpec::integer(
                      "stages",
                      "tiles whose taps are in shared memory at a time, where no fetch has stages",
                      2, 2, 6)}},
            {.skeleton = "specialised",
             .slot = "roles",
             .type = "msda::warp_roles::Roles",
             .header = "warp_roles/roles.cuh",
             .traits = {"has-producers"},
             .excludes = {{"takes-items-alone",
                           "producers and consumers walk over the items each by themselves"}}}) {}

  std::optional<std::string> unsupported(const msda::Problem&, const msda::DeviceInfo& device,
                                         const msda::Parameters&) const override {
    if (device.compute_capability >= 80) return std::nullopt;
    return "mbarriers need compute capability 8.0";
  }
};

}  // namespace

MSDA_PLUGIN(WarpRoles)
