#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class MixedPrecision final : public msda::Optimization {
 public:
  MixedPrecision()
      : Optimization(
            {.name = "mixed-precision",
             .summary =
                 "values blended in the 16-bit type they are stored in; sums in fp32 or in 16 bits",
             .parameters = {ParameterSpec::one_of<std::string>(
                                "sums",
                                "type of the sums over batches of points; pairs: two batches that "
                                "begin together in 16 bits, pairs of them in fp32",
                                "fp32", {"fp32", "half", "pairs"}),
                            ParameterSpec::flag(
                                "half-coordinates",
                                "compute coordinates in fp16, as the documents' original does",
                                false)}},
            {.skeleton = "direct",
             .slot = "arithmetic",
             .type = "msda::mixed_precision::Arithmetic",
             .header = "mixed_precision/arithmetic.cuh",
             .traits = {"blends-16-bit"}}) {}

  std::optional<std::string> unsupported(const msda::Problem& problem, const msda::DeviceInfo&,
                                         const msda::Parameters&) const override {
    if (problem.types.value == msda::kWidest) return "values are fp32: there is no 16-bit blend";
    return std::nullopt;
  }

  msda::Arithmetic arithmetic(const msda::Problem& problem,
                              const msda::Parameters& parameters) const override {
    const msda::Format stored = msda::format_of(problem.types.value);
    const auto& sums = parameters.get<std::string>("sums");
    // A batch is at most the points of a level.
    const double batch = (sums == "pairs" ? 2.0 : 1.0) * static_cast<double>(4 * problem.points);
    msda::Arithmetic arithmetic;
    arithmetic.weights = {stored, 1};
    arithmetic.sums = {stored, sums == "half" ? 0 : batch};
    if (parameters.get<bool>("half-coordinates")) arithmetic.coordinates = {msda::kFp16, 3};
    return arithmetic;
  }

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"fma2 > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(MixedPrecision)
