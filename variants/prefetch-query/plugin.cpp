#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class PrefetchQuery final : public msda::Optimization {
 public:
  PrefetchQuery()
      : Optimization({.name = "prefetch-query",
                      .summary = "locations and weights of the next tile held in registers while "
                                 "this one is computed",
                      .parameters = {ParameterSpec::flag(
                          "behind-values",
                          "ask for them behind the first values of this tile, where one thread "
                          "computes the taps for all lanes",
                          false)}},
                     {.skeleton = "direct",
                      .slot = "point-fetch",
                      .type = "msda::prefetch_query::PointFetch",
                      .header = "prefetch_query/point_fetch.cuh"}) {}

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"rows.prefetched > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(PrefetchQuery)
