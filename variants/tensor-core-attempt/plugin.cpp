#include <msda/levels.hpp>
#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class TensorCoreAttempt final : public msda::Optimization {
 public:
  TensorCoreAttempt()
      : Optimization(
            {.name = "tensor-core-attempt",
             .summary = "16 queries at a time as dense products on the tensor cores where sampling "
                        "is local, gathers elsewhere",
             .parameters = {ParameterSpec::integer(
                                "warps", "warps of a block, each with 16 queries", 4, 1, 16),
                            ParameterSpec::integer(
                                "patches",
                                "most 4x4-pixel patches of a level that 16 queries multiply "
                                "densely, 1 KB of shared memory per warp each; beyond, they gather",
                                24, 1, 32)}},
            {.skeleton = "whole",
             .slot = "kernel",
             .type = "msda::tensor_core_attempt::Kernel",
             .header = "tensor_core_attempt/kernel.cuh",
             .excludes = {msda::needs_fixed_levels(
                 "the width of a level is a constant of its products")}}) {}

  std::optional<std::string> unsupported(const msda::Problem& problem,
                                         const msda::DeviceInfo& device,
                                         const msda::Parameters&) const override {
    if (problem.types.value == msda::DType::kFloat32) {
      return "tensor cores multiply fp16 or bf16 values here; fp32 would be rounded to tf32";
    }
    if (device.compute_capability < 80) return "mma.m16n8k16 needs compute capability 8.0";
    if (!problem.level_points.empty()) {
      return "a warp takes as many points of each level, and these differ here";
    }
    return std::nullopt;
  }

  /// The weights are an operand of the product, in the values' type.
  msda::Arithmetic arithmetic(const msda::Problem& problem,
                              const msda::Parameters&) const override {
    msda::Arithmetic arithmetic;
    arithmetic.weights = {msda::format_of(problem.types.value), 1};
    return arithmetic;
  }

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"mma > 0", "sass.HMMA > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(TensorCoreAttempt)
