#include <msda/plugin.hpp>

namespace {

class PrefetchQuery final : public msda::Optimization {
 public:
  PrefetchQuery()
      : Optimization({.name = "prefetch-query",
                      .summary = "locations and weights of the next tile held in registers while "
                                 "this one is computed",
                      .parameters = {}},
                     {.skeleton = "direct",
                      .slot = "pipeline",
                      .type = "msda::prefetch_query::Pipeline",
                      .header = "prefetch_query/pipeline.cuh"}) {}
};

}  // namespace

MSDA_PLUGIN(PrefetchQuery)
