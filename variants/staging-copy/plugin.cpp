#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class StagingCopy final : public msda::Optimization {
 public:
  StagingCopy()
      : Optimization(
            {.name = "staging-copy",
             .summary =
                 "microbenchmark: values copied to the output by way of shared memory, their "
                 "own block's or another's",
             .parameters =
                 {ParameterSpec::one_of<std::string>(
                      "method",
                      "how values come to shared memory: cooperative through registers, async with "
                      "cp.async, bulk by TMA",
                      "cooperative", {"cooperative", "async", "bulk"}),
                  ParameterSpec::one_of<std::int64_t>(
                      "cluster", "blocks of a cluster; from 2 on each writes what another read", 1,
                      {1, 2, 4, 8, 16}),
                  ParameterSpec::one_of<std::int64_t>("channels", "channels that a block reads", 2,
                                                      {1, 2, 4, 8, 16, 32}),
                  ParameterSpec::integer("budget", "kilobytes of shared memory of a block", 80, 1,
                                         220),
                  ParameterSpec::integer("threads", "threads per block", 256, 32, 1024),
                  ParameterSpec::integer("blocks",
                                         "resident blocks per multiprocessor; 0: as many as "
                                         "`clusters` says, however many fit",
                                         2, 0, 16),
                  ParameterSpec::integer(
                      "clusters",
                      "clusters of the grid at most; 0: all that fit, or all there is work for", 0,
                      0, 65536),
                  ParameterSpec::integer("barriers", "barriers between reading and writing", 1, 1,
                                         1000000)}},
            {.skeleton = "whole",
             .slot = "kernel",
             .type = "msda::staging_copy::Kernel",
             .header = "staging_copy/kernel.cuh"}) {}

  std::string computes(const msda::Parameters&) const override { return "copy"; }

  std::optional<std::string> unsupported(const msda::Problem& problem,
                                         const msda::DeviceInfo& device,
                                         const msda::Parameters& parameters) const override {
    if (problem.types.value != problem.types.output) {
      return "values and output are of different types: it copies, and converts nothing";
    }
    const auto cluster = parameters.get<std::int64_t>("cluster");
    if (problem.channels % cluster != 0) {
      return "the blocks of a cluster share the channels out, which " + std::to_string(cluster) +
             " does not divide";
    }
    if (parameters.get<std::int64_t>("threads") % 32 != 0) return "warps have 32 threads";
    if (cluster > 1 && device.compute_capability < 90) {
      return "clusters need compute capability 9.0";
    }
    if (device.compute_capability < 80) return "cp.async needs compute capability 8.0";
    return std::nullopt;
  }

  std::vector<std::string> evidence(const msda::Problem&,
                                    const msda::Parameters& parameters) const override {
    std::vector<std::string> shown;
    const auto& method = parameters.get<std::string>("method");
    if (method == "async") shown.emplace_back("value.cp-async > 0");
    if (method == "bulk") shown.emplace_back("value.bulk-copies > 0");
    if (parameters.get<std::int64_t>("cluster") > 1) {
      shown.emplace_back("shared.remote-loads > 0");
    }
    return shown;
  }
};

}  // namespace

MSDA_PLUGIN(StagingCopy)
