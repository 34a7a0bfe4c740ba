#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class VectorLoads final : public msda::Optimization {
 public:
  VectorLoads()
      : Optimization({.name = "vector-loads",
                      .summary = "several neighbouring channels per lane, read as one vector",
                      .parameters = {ParameterSpec::one_of<std::int64_t>(
                                         "width", "channels per lane; 0: as many as 16 bytes hold",
                                         0, {0, 1, 2, 4, 8}),
                                     ParameterSpec::integer("threads", "threads per block, at most",
                                                            256, 32, 1024)}},
                     {.skeleton = "direct",
                      .slot = "mapping",
                      .type = "msda::vector_loads::Mapping",
                      .header = "vector_loads/mapping.cuh"}) {}

  std::optional<std::string> unsupported(const msda::Problem& problem, const msda::DeviceInfo&,
                                         const msda::Parameters& parameters) const override {
    const auto width = parameters.get<std::int64_t>("width");
    const auto threads = parameters.get<std::int64_t>("threads");
    if (width != 0 && problem.channels % width != 0) {
      return std::to_string(problem.channels) + " channels are not a multiple of width " +
             std::to_string(width);
    }
    // With width 0 and an odd number of channels a lane holds one channel.
    const std::int64_t lanes = problem.channels / (width == 0 ? 1 : width);
    if (lanes > threads) {
      return "a row may need " + std::to_string(lanes) + " lanes; a block has " +
             std::to_string(threads);
    }
    return std::nullopt;
  }
};

}  // namespace

MSDA_PLUGIN(VectorLoads)
