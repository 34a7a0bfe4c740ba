#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class SharedMetadata final : public msda::Optimization {
 public:
  SharedMetadata()
      : Optimization(
            {.name = "shared-metadata",
             .summary =
                 "taps computed once for each point and handed to its lanes through shared memory",
             .parameters = {ParameterSpec::flag(
                 "packed", "places in 16 bits, one for all lanes of a row, where they fit",
                 false)}},
            {.skeleton = "direct",
             .slot = "metadata",
             .type = "msda::shared_metadata::Metadata",
             .header = "shared_metadata/metadata.cuh"}) {}

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"shared.metadata.load-bytes > shared.metadata.store-bytes"};
  }
};

}  // namespace

MSDA_PLUGIN(SharedMetadata)
