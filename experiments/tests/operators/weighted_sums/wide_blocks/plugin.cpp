#include <msda/plugin.hpp>

namespace {

class WideBlocks final : public msda::Optimization {
 public:
  WideBlocks()
      : Optimization(
            {.name = "wide-blocks",
             .summary = "blocks of many threads",
             .parameters = {msda::ParameterSpec::integer("threads", "of a block", 256, 32, 1024)}},
            {.skeleton = "scaled-rows",
             .slot = "block",
             .type = "msda::wide_blocks::Block",
             .header = "wide_blocks/block.cuh"}) {}
};

}  // namespace

MSDA_PLUGIN(WideBlocks)
