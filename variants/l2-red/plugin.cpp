#include <msda/plugin.hpp>

namespace {

class L2Red final : public msda::Optimization {
 public:
  L2Red()
      : Optimization({.name = "l2-red",
                      .summary = "contributions to grad_value one by one to global memory",
                      .parameters = {}},
                     {.skeleton = "backward",
                      .slot = "sum",
                      .type = "msda::l2_red::Sum",
                      .header = "l2_red/sum.cuh"}) {}
};

}  // namespace

MSDA_PLUGIN(L2Red)
