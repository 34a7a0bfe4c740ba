#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class L2Hints final : public msda::Optimization {
 public:
  L2Hints()
      : Optimization(
            {.name = "l2-hints",
             .summary = "hints that keep values in the caches and let streams pass",
             .parameters = {ParameterSpec::one_of<std::string>("value", "loads of values",
                                                               "evict-last",
                                                               {"default", "cg", "evict-last"}),
                            ParameterSpec::integer("bypass-l1",
                                                   "largest levels whose values are not kept in L1",
                                                   0, 0, 8),
                            ParameterSpec::flag(
                                "stream", "locations, weights and outputs leave L2 first", true)}},
            {.skeleton = "direct",
             .slot = "cache",
             .type = "msda::l2_hints::Cache",
             .header = "l2_hints/cache.cuh"}) {}
};

}  // namespace

MSDA_PLUGIN(L2Hints)
