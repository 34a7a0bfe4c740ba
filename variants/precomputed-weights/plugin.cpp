#include <msda/levels.hpp>
#include <msda/plugin.hpp>

namespace {

class PrecomputedWeights final : public msda::Optimization {
 public:
  PrecomputedWeights()
      : Optimization({.name = "precomputed-weights",
                      .summary = "a pre-pass writes the taps of all points to memory",
                      .parameters = {}},
                     {.skeleton = "direct",
                      .slot = "metadata",
                      .type = "msda::precomputed_weights::Metadata",
                      .header = "precomputed_weights/metadata.cuh",
                      .excludes = {msda::needs_known_levels(
                          "its pre-pass computes taps before a block has read the sizes")}}) {}

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"workspace.metadata.load-bytes > prepass.workspace.metadata.store-bytes"};
  }
};

}  // namespace

MSDA_PLUGIN(PrecomputedWeights)
