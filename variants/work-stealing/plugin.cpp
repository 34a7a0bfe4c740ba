#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class WorkStealing final : public msda::Optimization {
 public:
  WorkStealing()
      : Optimization(
            {.name = "work-stealing",
             .summary = "resident blocks take the next work item from a global counter",
             .parameters =
                 {ParameterSpec::integer("blocks", "resident blocks per multiprocessor", 1, 1, 16),
                  ParameterSpec::integer("tiles", "tiles of rows per work item", 4, 1, 1024),
                  ParameterSpec::integer("parts",
                                         "equal parts of an image (and head), each of them a work "
                                         "item, in place of `tiles`; 0: none",
                                         0, 0, 4096)}},
            {.skeleton = "direct",
             .slot = "schedule",
             .type = "msda::work_stealing::Schedule",
             .header = "work_stealing/schedule.cuh",
             .traits = {"takes-items-alone"}}) {}

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"items.of-a-thread > 1", "workspace.schedule.atomics > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(WorkStealing)
