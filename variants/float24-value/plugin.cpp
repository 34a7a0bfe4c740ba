#include <msda/levels.hpp>
#include <msda/plugin.hpp>

namespace {

/// 15 stored bits of the fraction. The steps between the numbers are 257 / 256 of what those of 15
/// bits would be (device/arithmetic.cuh).
constexpr msda::Format kFloat24{0x1.01p-16, 0x1.01p-142};

class Float24Value final : public msda::Optimization {
 public:
  Float24Value()
      : Optimization(
            {.name = "float24-value",
             .summary = "values of fp32 in 24 bits, three quarters of the bytes to gather",
             .parameters = {}},
            {.skeleton = "direct",
             .slot = "arithmetic",
             .type = "msda::float24_value::Arithmetic",
             .header = "float24_value/arithmetic.cuh",
             .traits = {"encodes-values", "splits-values"},
             .excludes = {msda::needs_fixed_levels(
                 "values are copied to an array whose places are constants of the unit")}}) {}

  std::optional<std::string> unsupported(const msda::Problem& problem, const msda::DeviceInfo&,
                                         const msda::Parameters&) const override {
    if (problem.types.value == msda::kWidest) return std::nullopt;
    return "values are " + std::string(msda::name_of(problem.types.value)) +
           ": they have no 24 bits to begin with";
  }

  msda::Arithmetic arithmetic(const msda::Problem&, const msda::Parameters&) const override {
    msda::Arithmetic arithmetic;
    arithmetic.values = {kFloat24, 1};
    return arithmetic;
  }

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"prepass.workspace.layout.stores > 0", "sass.PRMT > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(Float24Value)
