#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class L2Hints final : public msda::Optimization {
 public:
  L2Hints()
      : Optimization(
            {.name = "l2-hints",
             .summary = "hints that keep values in the caches and let streams pass",
             .parameters =
                 {ParameterSpec::one_of<std::string>("value", "loads of values", "evict-last",
                                                     {"default", "cg", "evict-last"}),
                  ParameterSpec::integer("bypass-l1",
                                         "largest levels whose values are not kept in L1", 0, 0, 8),
                  ParameterSpec::one_of<std::string>(
                      "stream", "locations, weights and outputs leave L2 first, or skip L1",
                      "evict-first", {"default", "cg", "evict-first"}),
                  ParameterSpec::flag("stream-past-l1",
                                      "locations and weights, where they leave L2 first, "
                                      "are not kept in L1 either",
                                      false)}},
            {.skeleton = "direct",
             .slot = "cache",
             .type = "msda::l2_hints::Cache",
             .header = "l2_hints/cache.cuh"}) {}

  std::vector<std::string> evidence(const msda::Problem& problem,
                                    const msda::Parameters& parameters) const override {
    std::vector<std::string> shown;
    const auto& value = parameters.get<std::string>("value");
    const std::int64_t past_l1 = parameters.get<std::int64_t>("bypass-l1");
    if (past_l1 > 0) shown.emplace_back("value.no-allocate > 0");
    if (past_l1 < problem.level_count() && value != "default") {
      shown.emplace_back(value == "cg" ? "value.l2 > 0" : "value.evict-last > 0");
    }
    const auto& stream = parameters.get<std::string>("stream");
    if (stream == "cg") shown.emplace_back("weights.l2 > 0");
    if (stream == "evict-first") {
      shown.emplace_back("streaming > 0");  // outputs have other names in each operator
      if (parameters.get<bool>("stream-past-l1")) shown.emplace_back("weights.once > 0");
    }
    return shown;
  }
};

}  // namespace

MSDA_PLUGIN(L2Hints)
