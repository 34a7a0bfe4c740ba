#include <msda/lanes.hpp>
#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class HeadPlanes final : public msda::Optimization {
 public:
  HeadPlanes()
      : Optimization({.name = "head-planes",
                      .summary = "a work item is a plane of some neighbouring heads, not of all",
                      .parameters = {ParameterSpec::one_of<std::int64_t>(
                          "heads", "neighbouring heads of a plane", 2, {1, 2, 4, 8})}},
                     {.skeleton = "direct",
                      .slot = "source",
                      .type = "msda::head_planes::Source",
                      .header = "head_planes/source.cuh"}) {}

  std::optional<std::string> unsupported(const msda::Problem& problem, const msda::DeviceInfo&,
                                         const msda::Parameters& parameters) const override {
    return msda::plane_refusal(problem, parameters.get<std::int64_t>("heads"));
  }

  std::vector<std::string> evidence(const msda::Problem&,
                                    const msda::Parameters& parameters) const override {
    const auto heads = parameters.get<std::int64_t>("heads");
    std::vector<std::string> conditions = {"tiles.heads <= " + std::to_string(heads)};
    if (heads > 1) conditions.emplace_back("tiles.heads > 1");
    return conditions;
  }
};

}  // namespace

MSDA_PLUGIN(HeadPlanes)
