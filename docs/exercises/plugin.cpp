// What the program knows of the exercises: one plugin, whose parameters name the kernel.
#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class Exercises final : public msda::Optimization {
 public:
  Exercises()
      : Optimization(
            {.name = "exercises",
             .summary = "kernels with one mistake each, and their repairs (docs/exercises)",
             .parameters = {ParameterSpec::one_of<std::string>(
                                "kernel", "the exercise", "race",
                                {"race", "conflict", "deadlock", "edge", "wide"}),
                            ParameterSpec::flag("repaired", "the repair in place of the mistake",
                                                false)}},
            {.skeleton = "whole",
             .slot = "kernel",
             .type = "msda::exercises::Kernel",
             .header = "exercises/kernel.cuh"}) {}

  std::optional<std::string> unsupported(const msda::Problem& problem, const msda::DeviceInfo&,
                                         const msda::Parameters&) const override {
    if (problem.channels % 8 == 0 && problem.channels <= 512) return std::nullopt;
    return "the exercises take a multiple of 8 channels, and 512 at most";
  }
};

}  // namespace

MSDA_PLUGIN(Exercises)
