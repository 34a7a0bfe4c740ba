#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class Handover final : public msda::Optimization {
 public:
  Handover()
      : Optimization(
            {.name = "handover",
             .summary = "how producers and consumers tell each other of full and empty stages",
             .parameters = {ParameterSpec::one_of<std::string>(
                 "by",
                 "mbarrier: a pair for each stage; named: a pair of named barriers; block: one "
                 "barrier of the block a step; flags: counters, release and acquire",
                 "mbarrier", {"mbarrier", "named", "block", "flags"})}},
            {.skeleton = "specialised",
             .slot = "pipeline",
             .type = "msda::handover::Pipeline",
             .header = "handover/pipeline.cuh",
             .traits = {"has-producers"},
             .excludes = {{"takes-items-alone",
                           "producers and consumers walk over the items each by themselves"}}}) {}

  std::optional<std::string> unsupported(const msda::Problem&, const msda::DeviceInfo& device,
                                         const msda::Parameters&) const override {
    if (device.compute_capability >= 80) return std::nullopt;
    return "mbarriers need compute capability 8.0";
  }

  std::vector<std::string> evidence(const msda::Problem&,
                                    const msda::Parameters& parameters) const override {
    const auto& by = parameters.get<std::string>("by");
    if (by == "named") return {"barriers.named-arrivals > 0"};
    if (by == "flags") return {"shared.pipeline.flag-waits > 0"};
    return {"shared.pipeline.mbarrier-waits > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(Handover)
