#include <msda/plugin.hpp>

namespace {

class VectorLoads final : public msda::Optimization {
 public:
  VectorLoads()
      : Optimization({.name = "vector-loads",
                      .summary = "several neighbouring channels per lane, read as one vector",
                      .parameters = {{.name = "width",
                                      .summary = "channels per lane; 0: as many as 16 bytes hold",
                                      .default_value = std::int64_t{0},
                                      .minimum = {},
                                      .maximum = {},
                                      .choices = {std::int64_t{0}, std::int64_t{1}, std::int64_t{2},
                                                  std::int64_t{4}, std::int64_t{8}}},
                                     {.name = "threads",
                                      .summary = "threads per block, at most",
                                      .default_value = std::int64_t{256},
                                      .minimum = 32,
                                      .maximum = 1024,
                                      .choices = {}}}},
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
    const std::int64_t lanes = width == 0 ? problem.channels : problem.channels / width;
    if (lanes > threads) {
      return "a row may need " + std::to_string(lanes) + " lanes; a block has " +
             std::to_string(threads);
    }
    return std::nullopt;
  }
};

}  // namespace

MSDA_PLUGIN(VectorLoads)
