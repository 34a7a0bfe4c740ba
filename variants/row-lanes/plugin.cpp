#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class RowLanes final : public msda::Optimization {
 public:
  RowLanes()
      : Optimization(
            {.name = "row-lanes",
             .summary = "threads of a block, and the lanes of a row",
             .parameters =
                 {ParameterSpec::integer("threads", "threads of a block, at most", 256, 32, 1024),
                  ParameterSpec::one_of<std::int64_t>(
                      "sides", "2: half of a row's lanes read the left column; 1: all read both", 2,
                      {1, 2}),
                  ParameterSpec::one_of<std::int64_t>("bytes", "of a lane's vector, at most", 16,
                                                      {4, 8, 16}),
                  ParameterSpec::one_of<std::int64_t>(
                      "points", "whose values a lane has in flight, at most", 4, {1, 2, 4, 8}),
                  ParameterSpec::integer(
                      "blocks", "blocks of a multiprocessor that registers suffice for", 1, 1, 16),
                  ParameterSpec::one_of<std::string>(
                      "levels",
                      "of a row: together in one work item, or apart, for problems of few rows",
                      "together", {"together", "apart"})}},
            {.skeleton = "backward",
             .slot = "lanes",
             .type = "msda::row_lanes::Lanes",
             .header = "row_lanes/lanes.cuh"}) {}

  std::optional<std::string> unsupported(const msda::Problem&, const msda::DeviceInfo&,
                                         const msda::Parameters& parameters) const override {
    constexpr std::int64_t kMostThreads = 2048;  // of a multiprocessor
    const auto threads = parameters.get<std::int64_t>("threads");
    if (threads % 32 != 0) return std::to_string(threads) + " threads are no whole warps";
    if (threads * parameters.get<std::int64_t>("blocks") <= kMostThreads) return std::nullopt;
    return "a multiprocessor has 2048 threads at most";
  }
};

}  // namespace

MSDA_PLUGIN(RowLanes)
