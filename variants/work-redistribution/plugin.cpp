#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class WorkRedistribution final : public msda::Optimization {
 public:
  WorkRedistribution()
      : Optimization(
            {.name = "work-redistribution",
             .summary = "every resident block gets an equal, contiguous share of all tiles",
             .parameters =
                 {ParameterSpec::integer("blocks", "resident blocks per multiprocessor", 1, 1, 16),
                  ParameterSpec::integer(
                      "waves", "parts of the batch that are dealt out one after another", 1, 1, 64),
                  ParameterSpec::integer(
                      "turn", "tiles that a block could do while it turns to a plane", 0, 0, 64)}},
            {.skeleton = "direct",
             .slot = "schedule",
             .type = "msda::work_redistribution::Schedule",
             .header = "work_redistribution/schedule.cuh"}) {}

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"tiles.of-a-thread > 1"};
  }
};

}  // namespace

MSDA_PLUGIN(WorkRedistribution)
