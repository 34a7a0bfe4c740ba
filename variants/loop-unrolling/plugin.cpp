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
};

}  // namespace

MSDA_PLUGIN(LoopUnrolling)
