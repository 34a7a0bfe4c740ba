#include <msda/lanes.hpp>
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
    return msda::row_refusal(problem, parameters.get<std::int64_t>("width"),
                             parameters.get<std::int64_t>("threads"));
  }

  std::vector<std::string> evidence(const msda::Problem& problem,
                                    const msda::Parameters&) const override {
    return {"value.widest-read > " + std::to_string(msda::size_of(problem.types.value))};
  }
};

}  // namespace

MSDA_PLUGIN(VectorLoads)
