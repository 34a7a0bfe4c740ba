#include <msda/operators/backward.hpp>
#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class Float32Sums final : public msda::Optimization {
 public:
  Float32Sums()
      : Optimization({.name = "float32-sums",
                      .summary = "sums in float32 in a workspace, converted afterwards",
                      .parameters = {ParameterSpec::one_of<std::string>(
                          "clear",
                          "what clears the workspace: memset by the launcher, or the pass that "
                          "converts, for the next launch",
                          "memset", {"memset", "converter"})}},
                     {.skeleton = "backward",
                      .slot = "accumulator",
                      .type = "msda::float32_sums::Accumulator",
                      .header = "float32_sums/accumulator.cuh"}) {}

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"workspace.accumulator.atomics > 0"};
  }

  bool deterministic(std::string_view output, const msda::Parameters&) const override {
    return output != msda::backward::kTensors[msda::backward::kGradValue].name;
  }
};

}  // namespace

MSDA_PLUGIN(Float32Sums)
