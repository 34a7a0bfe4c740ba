#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class ChannelSplit final : public msda::Optimization {
 public:
  ChannelSplit()
      : Optimization(
            {.name = "channel-split",
             .summary =
                 "a block works on a few channels of each row; the others are other blocks' work",
             .parameters = {ParameterSpec::one_of<std::int64_t>("channels", "channels per block", 8,
                                                                {4, 8, 16, 32}),
                            ParameterSpec::one_of<std::int64_t>(
                                "width", "channels per lane; 0: as many as 16 bytes hold", 0,
                                {0, 1, 2, 4, 8}),
                            ParameterSpec::integer("threads", "threads per block, at most", 256, 32,
                                                   1024)}},
            {.skeleton = "direct",
             .slot = "mapping",
             .type = "msda::channel_split::Mapping",
             .header = "channel_split/mapping.cuh"}) {}

  std::optional<std::string> unsupported(const msda::Problem& problem, const msda::DeviceInfo&,
                                         const msda::Parameters& parameters) const override {
    const auto channels = parameters.get<std::int64_t>("channels");
    const auto width = parameters.get<std::int64_t>("width");
    if (problem.channels % channels != 0) {
      return std::to_string(problem.channels) + " channels are not a multiple of " +
             std::to_string(channels) + " per block";
    }
    if (width != 0 && channels % width != 0) {
      return std::to_string(channels) + " channels per block are not a multiple of width " +
             std::to_string(width);
    }
    return std::nullopt;
  }

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"rows.split > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(ChannelSplit)
