#include <msda/levels.hpp>
#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class TmaBoxes final : public msda::Optimization {
 public:
  TmaBoxes()
      : Optimization(
            {.name = "tma-boxes",
             .summary = "2x2 pixels of each point copied to shared memory as one box by TMA",
             .parameters = {ParameterSpec::integer(
                 "stages", "batches of points in shared memory at a time", 2, 2, 6)}},
            {.skeleton = "direct",
             .slot = "fetch",
             .type = "msda::tma_boxes::Fetch",
             .header = "tma_boxes/fetch.cuh",
             .excludes = {
                 msda::needs_fixed_levels(
                     "the rows of a box are rows of a level whose width is a constant of the unit"),
                 {"splits-values", "a box has the pixels of one plane"},
                 {"fetches-texels", "boxes are copied, and no row is fetched"}}}) {}

  std::optional<std::string> unsupported(const msda::Problem&, const msda::DeviceInfo& device,
                                         const msda::Parameters&) const override {
    if (device.compute_capability >= 80) return std::nullopt;
    return "mbarriers and cp.async need compute capability 8.0";
  }

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"value.tensor-copies > 0", "waits.with-copies-ahead > 0", "sass.UTMALDG > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(TmaBoxes)
