#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class LoopUnrolling final : public msda::Optimization {
 public:
  LoopUnrolling()
      : Optimization(
            {.name = "loop-unrolling",
             .summary = "several points of a level in flight before the first is blended",
             .parameters = {ParameterSpec::integer("points", "points of a batch", 4, 1, 16),
                            ParameterSpec::flag(
                                "ahead", "load a batch while the one before is blended", false),
                            ParameterSpec::flag("alternate", "large and small levels take turns",
                                                false),
                            ParameterSpec::flag("near-first",
                                                "of a large and a small level's batches that are "
                                                "loaded together, blend the small one's first",
                                                false)}},
            {.skeleton = "direct",
             .slot = "unroll",
             .type = "msda::loop_unrolling::Unroll",
             .header = "loop_unrolling/unroll.cuh"}) {}

  std::optional<std::string> unsupported(const msda::Problem&, const msda::DeviceInfo&,
                                         const msda::Parameters& parameters) const override {
    if (!parameters.get<bool>("near-first")) return std::nullopt;
    if (!parameters.get<bool>("alternate")) {
      return "near-first takes a large and a small level together: it needs alternate";
    }
    if (parameters.get<bool>("ahead")) {
      return "near-first blends two batches out of turn, ahead blends them in turn: choose one";
    }
    return std::nullopt;
  }

  std::vector<std::string> evidence(const msda::Problem&,
                                    const msda::Parameters& parameters) const override {
    if (parameters.get<std::int64_t>("points") == 1)
      return {};  // the order of batches is not counted
    return {"points.in-flight > 1"};
  }
};

}  // namespace

MSDA_PLUGIN(LoopUnrolling)
