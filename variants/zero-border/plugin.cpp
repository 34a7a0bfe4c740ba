#include <msda/levels.hpp>
#include <msda/plugin.hpp>

namespace {

class ZeroBorder final : public msda::Optimization {
 public:
  ZeroBorder()
      : Optimization(
            {.name = "zero-border",
             .summary = "values copied inside a border of zero pixels: no care for edges",
             .parameters = {}},
            {.skeleton = "direct",
             .slot = "layout",
             .type = "msda::zero_border::Layout",
             .header = "zero_border/layout.cuh",
             .excludes = {msda::needs_fixed_levels(
                 "values are copied to an array whose places are constants of the unit")}}) {}

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"prepass.workspace.layout.stores > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(ZeroBorder)
