#include <msda/levels.hpp>
#include <msda/operators/backward.hpp>
#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class SharedFloats final : public msda::Optimization {
 public:
  SharedFloats()
      : Optimization(
            {.name = "shared-floats",
             .summary = "the smallest levels summed in float32 in the shared memory of a block or "
                        "of a cluster of blocks",
             .parameters = {ParameterSpec::integer(
                                "budget",
                                "kilobytes of each block's shared memory for sums; 0: what a block "
                                "has left of 227",
                                0, 0, 220),
                            ParameterSpec::one_of<std::int64_t>(
                                "cluster", "blocks that have a part of the pixels each", 1,
                                {1, 2, 4, 8})}},
            {.skeleton = "backward",
             .slot = "sum",
             .type = "msda::shared_floats::Sum",
             .header = "shared_floats/sum.cuh",
             .traits = {"adds-in-blocks"},
             .excludes = {msda::needs_fixed_levels("pixels are dealt out when compiled"),
                          {"sums-whole-numbers", "sums in blocks are float32"},
                          {"takes-items-alone", "the blocks of a cluster take the same items"}}}) {}

  std::optional<std::string> unsupported(const msda::Problem&, const msda::DeviceInfo& device,
                                         const msda::Parameters& parameters) const override {
    if (parameters.get<std::int64_t>("cluster") > 1 && device.compute_capability < 90) {
      return "clusters need compute capability 9.0";
    }
    return std::nullopt;
  }

  std::vector<std::string> evidence(const msda::Problem&,
                                    const msda::Parameters& parameters) const override {
    if (parameters.get<std::int64_t>("cluster") > 1) return {"shared.sum.remote-atomics > 0"};
    return {"shared.sum.atomics > 0"};
  }

  bool deterministic(std::string_view output, const msda::Parameters&) const override {
    return output != msda::backward::kTensors[msda::backward::kGradValue].name;
  }
};

}  // namespace

MSDA_PLUGIN(SharedFloats)
