#include <msda/lanes.hpp>
#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

/// Weights of a row that fit a thread's registers beside what else it holds.
constexpr std::int64_t kMostWeights = 64;
constexpr std::int64_t kThreadsOfBlock = 1024;

class FlashDeform final : public msda::Optimization {
 public:
  FlashDeform()
      : Optimization(
            {.name = "flash-deform",
             .summary = "DCNv4's mapping: a thread has a vector of channels and all weights of its "
                        "row in registers; whole queries in a block",
             .parameters = {ParameterSpec::one_of<std::int64_t>(
                                "width", "channels per thread; 0: as many as 16 bytes hold", 0,
                                {0, 1, 2, 4, 8}),
                            ParameterSpec::integer("threads", "threads per block, at most", 512, 32,
                                                   1024),
                            ParameterSpec::integer("queries", "queries per block, at most", 64, 1,
                                                   1024)}},
            {.skeleton = "whole",
             .slot = "kernel",
             .type = "msda::flash_deform::Kernel",
             .header = "flash_deform/kernel.cuh"}) {}

  std::optional<std::string> unsupported(const msda::Problem& problem, const msda::DeviceInfo&,
                                         const msda::Parameters& parameters) const override {
    const auto width = parameters.get<std::int64_t>("width");
    if (auto reason = msda::width_refusal(problem, width)) return reason;
    if (problem.row_points() > kMostWeights) {
      return "a thread holds at most " + std::to_string(kMostWeights) + " weights";
    }
    const std::int64_t lanes = problem.channels / (width == 0 ? 1 : width);
    if (problem.heads * lanes > kThreadsOfBlock) {
      return "a query may need " + std::to_string(problem.heads * lanes) +
             " threads; a block has at most " + std::to_string(kThreadsOfBlock);
    }
    return std::nullopt;
  }

  std::vector<std::string> evidence(const msda::Problem& problem,
                                    const msda::Parameters&) const override {
    return {"value.widest-read > " + std::to_string(msda::size_of(problem.types.value))};
  }
};

}  // namespace

MSDA_PLUGIN(FlashDeform)
