#include <msda/plugin.hpp>

namespace {

class DependentClear final : public msda::Optimization {
 public:
  DependentClear()
      : Optimization(
            {.name = "dependent-clear",
             .summary = "a kernel clears the sums, while blocks that add to them are set up",
             .parameters = {}},
            {.skeleton = "backward",
             .slot = "clear",
             .type = "msda::dependent_clear::Clear",
             .header = "dependent_clear/clear.cuh"}) {}

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"prepass.launch.releases > 0", "launch.waits > 0", "sass.ACQBULK > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(DependentClear)
