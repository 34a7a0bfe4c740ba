#include <msda/lanes.hpp>
#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class SmemLevels final : public msda::Optimization {
 public:
  SmemLevels()
      : Optimization(
            {.name = "smem-levels",
             .summary = "the smallest levels of an image live in shared memory",
             .parameters =
                 {ParameterSpec::integer("budget", "kilobytes of shared memory for levels", 96, 1,
                                         220),
                  msda::padding_parameter(), msda::kept_heads_parameter(),
                  ParameterSpec::one_of<std::string>(
                      "copy",
                      "how levels are copied: words through registers, async with "
                      "cp.async, bulk by TMA (async below 9.0)",
                      "words", {"words", "async", "bulk"}),
                  ParameterSpec::one_of<std::string>(
                      "meanwhile",
                      "what a block does until bulk copies have come: wait, or read global "
                      "memory",
                      "wait", {"wait", "global"})}},
            {.skeleton = "direct",
             .slot = "source",
             .type = "msda::smem_levels::Source",
             .header = "smem_levels/source.cuh"}) {}

  std::optional<std::string> unsupported(const msda::Problem& problem, const msda::DeviceInfo&,
                                         const msda::Parameters& parameters) const override {
    if (parameters.get<std::string>("meanwhile") == "global" &&
        parameters.get<std::string>("copy") != "bulk") {
      return "meanwhile: global needs copy: bulk; other copies are complete before the first tile";
    }
    return msda::plane_refusal(problem, parameters.get<std::int64_t>("heads"));
  }

  std::vector<std::string> evidence(const msda::Problem&,
                                    const msda::Parameters& parameters) const override {
    if (parameters.get<std::int64_t>("heads") == 1) return {"shared.source.loads > 0"};
    return {"shared.source.loads > 0", "tiles.heads > 1"};
  }
};

}  // namespace

MSDA_PLUGIN(SmemLevels)
