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
                                                false)}},
            {.skeleton = "direct",
             .slot = "unroll",
             .type = "msda::loop_unrolling::Unroll",
             .header = "loop_unrolling/unroll.cuh"}) {}

  std::vector<std::string> evidence(const msda::Problem&,
                                    const msda::Parameters& parameters) const override {
    if (parameters.get<std::int64_t>("points") == 1)
      return {};  // the order of batches is not counted
    return {"points.in-flight > 1"};
  }
};

}  // namespace

MSDA_PLUGIN(LoopUnrolling)
