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
};

}  // namespace

MSDA_PLUGIN(Prefetch)
