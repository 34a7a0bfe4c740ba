#include <msda/levels.hpp>
#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class ChannelBlocked final : public msda::Optimization {
 public:
  ChannelBlocked()
      : Optimization(
            {.name = "channel-blocked",
             .summary = "values copied so that a few channels of all pixels of a head lie together",
             .parameters = {ParameterSpec::one_of<std::int64_t>(
                 "block", "channels that stay together", 32, {8, 16, 32, 64})}},
            {.skeleton = "direct",
             .slot = "layout",
             .type = "msda::channel_blocked::Layout",
             .header = "channel_blocked/layout.cuh",
             .excludes = {msda::needs_fixed_levels(
                 "values are copied to an array whose places are constants of the unit")}}) {}

  std::optional<std::string> unsupported(const msda::Problem& problem, const msda::DeviceInfo&,
                                         const msda::Parameters& parameters) const override {
    const auto block = parameters.get<std::int64_t>("block");
    if (problem.channels % block == 0) return std::nullopt;
    return std::to_string(problem.channels) + " channels are not a multiple of block " +
           std::to_string(block);
  }

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"prepass.workspace.layout.stores > 0", "value.loads > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(ChannelBlocked)
