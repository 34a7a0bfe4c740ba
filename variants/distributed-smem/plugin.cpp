#include <msda/lanes.hpp>
#include <msda/levels.hpp>
#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class DistributedSmem final : public msda::Optimization {
 public:
  DistributedSmem()
      : Optimization(
            {.name = "distributed-smem",
             .summary = "the smallest levels of an image spread over the shared memory of a "
                        "cluster of blocks",
             .parameters =
                 {ParameterSpec::one_of<std::int64_t>(
                      "cluster",
                      "blocks of a cluster, at most; each holds that part of an item's channels", 8,
                      {2, 4, 8, 16}),
                  ParameterSpec::integer(
                      "budget", "kilobytes of shared memory for levels in each block", 96, 1, 220),
                  msda::padding_parameter(), msda::kept_heads_parameter(),
                  ParameterSpec::one_of<std::string>(
                      "copy",
                      "how levels are copied: words through registers, async with cp.async, bulk "
                      "by TMA",
                      "words", {"words", "async", "bulk"})}},
            {.skeleton = "direct",
             .slot = "source",
             .type = "msda::distributed_smem::Source",
             .header = "distributed_smem/source.cuh",
             .excludes = {msda::needs_fixed_levels(
                              "a cluster divides levels of constant sizes among its blocks"),
                          {"splits-values", "a row is copied as one run of bytes"},
                          {"takes-items-alone", "the blocks of a cluster take the same items"},
                          {"has-producers",
                           "a barrier of a cluster waits for all warps of its blocks, and "
                           "producers do not come"}}}) {}

  std::optional<std::string> unsupported(const msda::Problem& problem,
                                         const msda::DeviceInfo& device,
                                         const msda::Parameters& parameters) const override {
    if (device.compute_capability < 90) return "clusters need compute capability 9.0";
    return msda::plane_refusal(problem, parameters.get<std::int64_t>("heads"));
  }

  std::vector<std::string> evidence(const msda::Problem&,
                                    const msda::Parameters& parameters) const override {
    if (parameters.get<std::int64_t>("heads") == 1) return {"shared.source.remote-loads > 0"};
    return {"shared.source.remote-loads > 0", "tiles.heads > 1"};
  }
};

}  // namespace

MSDA_PLUGIN(DistributedSmem)
