#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class BulkRows final : public msda::Optimization {
 public:
  BulkRows()
      : Optimization(
            {.name = "bulk-rows",
             .summary = "a corner's row is made in shared memory and added by one bulk "
                        "reduction",
             .parameters = {ParameterSpec::one_of<std::int64_t>(
                 "buffers", "points of a row whose products are in shared memory at a time", 2,
                 {1, 2, 4, 8})}},
            {.skeleton = "backward",
             .slot = "sum",
             .type = "msda::bulk_rows::Sum",
             .header = "bulk_rows/sum.cuh"}) {}

  std::optional<std::string> unsupported(const msda::Problem&, const msda::DeviceInfo& device,
                                         const msda::Parameters&) const override {
    if (device.compute_capability < 90) return "bulk reductions need compute capability 9.0";
    return std::nullopt;
  }

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"bulk-reductions > 0", "sass.UBLKRED > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(BulkRows)
