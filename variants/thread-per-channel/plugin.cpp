#include <algorithm>

#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class ThreadPerChannel final : public msda::Optimization {
 public:
  ThreadPerChannel()
      : Optimization(
            {.name = "thread-per-channel",
             .summary = "one thread for each output channel, scalar loads: the original mapping",
             .parameters = {ParameterSpec::integer("threads", "threads per block, at most", 256, 32,
                                                   1024)}},
            {.skeleton = "direct",
             .slot = "mapping",
             .type = "msda::thread_per_channel::Mapping",
             .header = "thread_per_channel/mapping.cuh"}) {}

  std::optional<std::string> unsupported(const msda::Problem& problem, const msda::DeviceInfo&,
                                         const msda::Parameters& parameters) const override {
    const auto threads = parameters.get<std::int64_t>("threads");
    if (problem.channels <= threads) return std::nullopt;
    return "a row of " + std::to_string(problem.channels) +
           " channels needs as many threads; a block has " + std::to_string(threads);
  }

  std::vector<std::string> evidence(const msda::Problem& problem,
                                    const msda::Parameters&) const override {
    // Lanes beside each other read channels beside each other, whatever copies levels on chip.
    constexpr std::int64_t kLanes = 32;
    const std::int64_t channels = std::min<std::int64_t>(problem.channels, kLanes);
    if (problem.channels % kLanes == 0 || kLanes % channels == 0) {
      return {"value.run-lanes >= " + std::to_string(channels)};
    }
    return {"value.widest-read == " + std::to_string(msda::size_of(problem.types.value))};
  }
};

}  // namespace

MSDA_PLUGIN(ThreadPerChannel)
