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
                      "waves", "parts of all tiles that are dealt out one after another", 1, 1, 64),
                  ParameterSpec::integer(
                      "turn", "tiles that a block could do while it turns to a plane", 0, 0, 64),
                  ParameterSpec::one_of<std::string>(
                      "ends", "what a share has a whole number of: tiles, or a warp's rows of one",
                      "tile", {"tile", "warp"}),
                  ParameterSpec::integer("learned",
                                         "launches whose times the blocks' shares follow, set anew "
                                         "after 1, 2, 4, 8 and so on; 0: equal shares",
                                         0, 0, 1'000'000)}},
            {.skeleton = "direct",
             .slot = "schedule",
             .type = "msda::work_redistribution::Schedule",
             .header = "work_redistribution/schedule.cuh"}) {}

  std::vector<std::string> evidence(const msda::Problem&,
                                    const msda::Parameters& parameters) const override {
    if (parameters.get<std::int64_t>("learned") == 0) return {"tiles.of-a-thread > 1"};
    return {"tiles.of-a-thread > 1", "workspace.schedule.atomics > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(WorkRedistribution)
