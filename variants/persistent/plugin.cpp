#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class Persistent final : public msda::Optimization {
 public:
  Persistent()
      : Optimization(
            {.name = "persistent",
             .summary = "as many blocks as fit at once; each takes work items until there are none",
             .parameters = {ParameterSpec::integer("blocks",
                                                   "resident blocks per multiprocessor; 0: one "
                                                   "block for each item, however many fit",
                                                   1, 0, 16),
                            ParameterSpec::integer(
                                "chunks", "work items per image (and head); 0: one tile each", 0, 0,
                                4096)}},
            {.skeleton = "direct",
             .slot = "schedule",
             .type = "msda::persistent::Schedule",
             .header = "persistent/schedule.cuh"}) {}

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"tiles.of-a-thread > 1"};
  }
};

}  // namespace

MSDA_PLUGIN(Persistent)
