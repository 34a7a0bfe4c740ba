#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class TileBins final : public msda::Optimization {
 public:
  TileBins()
      : Optimization(
            {.name = "tile-bins",
             .summary = "points sorted by tiles of pixels in a block and summed by tensor cores",
             .parameters = {ParameterSpec::integer(
                                "queries",
                                "most queries whose points of a level are sorted together, as "
                                "many as the block has shared memory for",
                                1024, 1, 8192),
                            ParameterSpec::integer(
                                "levels", "so many of the last levels; 0: all of them", 0, 0, 64),
                            ParameterSpec::integer(
                                "few",
                                "points of a tile at most that are added one by one, without "
                                "products",
                                4, 0, 64),
                            ParameterSpec::integer("tiles",
                                                   "tiles of a level that points are sorted by at "
                                                   "a time",
                                                   2048, 1, 8192)}},
            {.skeleton = "backward",
             .slot = "sum",
             .type = "msda::tile_bins::Sum",
             .header = "tile_bins/sum.cuh",
             .traits = {"adds-in-blocks"}}) {}

  std::optional<std::string> unsupported(const msda::Problem& problem,
                                         const msda::DeviceInfo& device,
                                         const msda::Parameters&) const override {
    if (is_operand(problem) && device.compute_capability < 80) {
      return "mma.m16n8k16 needs compute capability 8.0";
    }
    return std::nullopt;
  }

  /// The weight of a corner is an operand of the product, in the gradient's type.
  msda::Arithmetic arithmetic(const msda::Problem& problem,
                              const msda::Parameters&) const override {
    msda::Arithmetic arithmetic;
    if (is_operand(problem)) arithmetic.weights = {msda::format_of(problem.types.output), 1};
    return arithmetic;
  }

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"mma > 0", "sass.HMMA > 0", "shared.sum.atomics > 0"};
  }

 private:
  static bool is_operand(const msda::Problem& problem) {
    return problem.types.output == msda::DType::kFloat16 ||
           problem.types.output == msda::DType::kBFloat16;
  }
};

}  // namespace

MSDA_PLUGIN(TileBins)
