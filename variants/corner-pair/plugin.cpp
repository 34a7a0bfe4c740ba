#include <sstream>

#include <msda/lanes.hpp>
#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class CornerPair final : public msda::Optimization {
 public:
  CornerPair()
      : Optimization(
            {.name = "corner-pair",
             .summary =
                 "left and right corner of a point read by neighbouring lanes as one run of memory",
             .parameters =
                 {ParameterSpec::one_of<std::int64_t>(
                      "width", "channels per lane; 0: as many as 16 bytes hold", 0,
                      {0, 1, 2, 4, 8}),
                  ParameterSpec::integer("threads", "threads per block, at most", 256, 32, 1024),
                  ParameterSpec::one_of<std::int64_t>(
                      "interleaved",
                      "neighbouring rows whose left lanes come first, then the right ones", 1,
                      {1, 2, 4})}},
            {.skeleton = "direct",
             .slot = "mapping",
             .type = "msda::corner_pair::Mapping",
             .header = "corner_pair/mapping.cuh",
             .traits = {"reads-sides"}}) {}

  std::optional<std::string> unsupported(const msda::Problem& problem, const msda::DeviceInfo&,
                                         const msda::Parameters& parameters) const override {
    const auto wanted = parameters.get<std::int64_t>("width");
    if (auto reason = msda::width_refusal(problem, wanted)) return reason;
    const std::int64_t lanes = 2 * lanes_of_a_side(problem, wanted);
    if (32 % lanes == 0) return std::nullopt;
    return "both sides of a row would take " + std::to_string(lanes) +
           " lanes, which do not divide a warp of 32";
  }

  std::vector<std::string> evidence(const msda::Problem& problem,
                                    const msda::Parameters& parameters) const override {
    // Rows of one head lie in the same half of the lines: each pass would have a conflict.
    if (parameters.get<std::int64_t>("interleaved") != 1) {
      return {"value.conflicts-per-request < 1"};
    }
    const std::int64_t lanes = lanes_of_a_side(problem, parameters.get<std::int64_t>("width"));
    // A quarter more: now and then rows read neighbouring pixels of other points.
    std::ostringstream condition;
    condition << "value.run-lanes > " << 1.25 * static_cast<double>(lanes);
    return {condition.str()};
  }

 private:
  /// Lanes that read a row's pixel.
  static std::int64_t lanes_of_a_side(const msda::Problem& problem, std::int64_t wanted) {
    std::int64_t width =
        wanted != 0 ? wanted : 16 / static_cast<std::int64_t>(size_of(problem.types.value));
    while (problem.channels % width != 0) width /= 2;
    return problem.channels / width;
  }
};

}  // namespace

MSDA_PLUGIN(CornerPair)
