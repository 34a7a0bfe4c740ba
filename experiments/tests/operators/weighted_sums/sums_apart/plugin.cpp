#include <msda/plugin.hpp>

namespace {

class SumsApart final : public msda::Optimization {
 public:
  SumsApart()
      : Optimization({.name = "sums-apart",
                      .summary = "sums in float32 beside the output, converted at the end",
                      .parameters = {msda::ParameterSpec::flag(
                          "convert", "whether the pass after the kernel writes the output", true)}},
                     {.skeleton = "scaled-rows",
                      .slot = "sums",
                      .type = "msda::sums_apart::Sums",
                      .header = "sums_apart/sums.cuh"}) {}

  bool deterministic(std::string_view output, const msda::Parameters&) const override {
    return output != "sums";
  }
  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"workspace.sums.atomics > 0", "postpass.workspace.sums.loads > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(SumsApart)
