#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class AsyncPipeline final : public msda::Optimization {
 public:
  AsyncPipeline()
      : Optimization({.name = "async-pipeline",
                      .summary = "locations and weights of later tiles copied to shared memory "
                                 "while this one is computed",
                      .parameters = {ParameterSpec::integer(
                          "stages", "tiles in shared memory at a time", 2, 2, 6)}},
                     {.skeleton = "direct",
                      .slot = "point-fetch",
                      .type = "msda::async_pipeline::PointFetch",
                      .header = "async_pipeline/point_fetch.cuh"}) {}

  std::optional<std::string> unsupported(const msda::Problem&, const msda::DeviceInfo& device,
                                         const msda::Parameters&) const override {
    if (device.compute_capability >= 80) return std::nullopt;
    return "cp.async needs compute capability 8.0";
  }

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"rows.prefetched > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(AsyncPipeline)
