#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class LoopUnrolling final : public msda::Optimization {
 public:
  LoopUnrolling()
      : Optimization(
            {.name = "loop-unrolling",
             .summary = "several points of a level in flight before the first is blended",
             .parameters = {ParameterSpec::integer("points", "points in flight", 4, 1, 16)}},
            {.skeleton = "direct",
             .slot = "unroll",
             .type = "msda::loop_unrolling::Unroll",
             .header = "loop_unrolling/unroll.cuh"}) {}
};

}  // namespace

MSDA_PLUGIN(LoopUnrolling)
