#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class Prefetch final : public msda::Optimization {
 public:
  Prefetch()
      : Optimization({.name = "prefetch",
                      .summary = "value loads bring their neighbourhood into L2",
                      .parameters = {ParameterSpec::one_of<std::int64_t>(
                          "bytes", "bytes that a load brings into L2", 128, {64, 128, 256})}},
                     {.skeleton = "direct",
                      .slot = "cache",
                      .type = "msda::prefetch::Cache",
                      .header = "prefetch/cache.cuh"}) {}

  std::vector<std::string> evidence(const msda::Problem&,
                                    const msda::Parameters& parameters) const override {
    return {"value.prefetch-" + std::to_string(parameters.get<std::int64_t>("bytes")) + "b > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(Prefetch)
