#include <msda/levels.hpp>
#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class SharedValues final : public msda::Optimization {
 public:
  SharedValues()
      : Optimization({.name = "shared-values",
                      .summary = "the values of the smallest levels in shared memory",
                      .parameters = {ParameterSpec::integer(
                          "budget", "kilobytes of shared memory for values", 72, 1, 220)}},
                     {.skeleton = "backward",
                      .slot = "values",
                      .type = "msda::shared_values::Values",
                      .header = "shared_values/values.cuh",
                      .excludes = {msda::needs_fixed_levels(
                          "sums have the part of shared memory that follows the pyramid")}}) {}

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"shared.values.loads > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(SharedValues)
