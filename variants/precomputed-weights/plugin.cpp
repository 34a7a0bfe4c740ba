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
                      .header = "precomputed_weights/metadata.cuh"}) {}
};

}  // namespace

MSDA_PLUGIN(PrecomputedWeights)
