#include <msda/plugin.hpp>

namespace {

class L2Persist final : public msda::Optimization {
 public:
  L2Persist()
      : Optimization({.name = "l2-persist",
                      .summary = "the value tensor asks for the persisting part of L2",
                      .parameters = {}},
                     {.skeleton = "direct",
                      .slot = "cache",
                      .type = "msda::l2_persist::Cache",
                      .header = "l2_persist/cache.cuh"}) {}

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"value.loads > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(L2Persist)
