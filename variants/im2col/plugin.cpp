#include <limits>

#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class Im2col final : public msda::Optimization {
 public:
  Im2col()
      : Optimization(
            {.name = "im2col",
             .summary = "the algorithm of Deformable DETR's own kernel: one thread for each output "
                        "element, a branch for each corner",
             .parameters = {ParameterSpec::integer("threads", "threads per block", 1024, 32,
                                                   1024)}},
            {.skeleton = "whole",
             .slot = "kernel",
             .type = "msda::im2col::Kernel",
             .header = "im2col/kernel.cuh"}) {}

  std::optional<std::string> unsupported(const msda::Problem& problem, const msda::DeviceInfo&,
                                         const msda::Parameters&) const override {
    if (problem.heads * problem.channels <= std::numeric_limits<std::int32_t>::max()) {
      return std::nullopt;
    }
    return "it counts the elements of a query in 31 bits";
  }

  std::vector<std::string> evidence(const msda::Problem& problem,
                                    const msda::Parameters&) const override {
    return {"value.widest-read == " + std::to_string(msda::size_of(problem.types.value))};
  }
};

}  // namespace

MSDA_PLUGIN(Im2col)
