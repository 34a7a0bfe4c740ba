#include <msda/plugin.hpp>

namespace {

class WarpShuffle final : public msda::Optimization {
 public:
  WarpShuffle()
      : Optimization(
            {.name = "warp-shuffle",
             .summary = "the lanes of a row compute different points and exchange taps by shuffles",
             .parameters = {}},
            {.skeleton = "direct",
             .slot = "metadata",
             .type = "msda::warp_shuffle::Metadata",
             .header = "warp_shuffle/metadata.cuh"}) {}

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"shuffles > shuffles.same", "sass.SHFL > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(WarpShuffle)
