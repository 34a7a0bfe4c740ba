#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class SmemLevels final : public msda::Optimization {
 public:
  SmemLevels()
      : Optimization(
            {.name = "smem-levels",
             .summary = "the smallest levels of an image live in shared memory",
             .parameters = {ParameterSpec::integer(
                                "budget", "kilobytes of shared memory for levels", 96, 1, 220),
                            ParameterSpec::integer("padding",
                                                   "elements added to each pixel's row of channels",
                                                   0, 0, 32),
                            ParameterSpec::one_of<std::string>(
                                "copy",
                                "how levels are copied: words through registers, async with "
                                "cp.async, bulk by TMA (async below 9.0)",
                                "words", {"words", "async", "bulk"})}},
            {.skeleton = "direct",
             .slot = "source",
             .type = "msda::smem_levels::Source",
             .header = "smem_levels/source.cuh"}) {}

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"shared.source.loads > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(SmemLevels)
