#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class MmaDots final : public msda::Optimization {
 public:
  MmaDots()
      : Optimization({.name = "mma-dots",
                      .summary = "products with the gradient by the tensor cores",
                      .parameters = {ParameterSpec::one_of<std::int64_t>(
                          "turns",
                          "gradients that a lane keeps, its own and other rows': the more, the "
                          "fewer shuffles",
                          2, {1, 2, 4})}},
                     {.skeleton = "backward",
                      .slot = "dots",
                      .type = "msda::mma_dots::Dots",
                      .header = "mma_dots/dots.cuh"}) {}

  std::optional<std::string> unsupported(const msda::Problem&, const msda::DeviceInfo& device,
                                         const msda::Parameters&) const override {
    if (device.compute_capability < 80) return "matrix products need compute capability 8.0";
    return std::nullopt;
  }

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"mma > 0", "sass.HMMA > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(MmaDots)
