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
             .parameters =
                 {ParameterSpec::flag(
                      "packed", "places in 16 bits, one for all lanes of a row, where they fit",
                      false),
                  ParameterSpec::flag(
                      "compact",
                      "a point in 8 bytes where a lane reads all four corners with 16-bit "
                      "weights; others as they are",
                      false)}},
            {.skeleton = "direct",
             .slot = "metadata",
             .type = "msda::shared_metadata::Metadata",
             .header = "shared_metadata/metadata.cuh"}) {}

  msda::Arithmetic arithmetic(const msda::Problem& problem,
                              const msda::Parameters& parameters) const override {
    msda::Arithmetic arithmetic;
    if (!parameters.get<bool>("compact")) return arithmetic;
    if (problem.types.value == msda::kWidest) return arithmetic;
    // What rows count, the right column's share of it, and the weight that follows from both.
    arithmetic.weights = {msda::format_of(problem.types.value), 4};
    return arithmetic;
  }

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"shared.metadata.load-bytes > shared.metadata.store-bytes"};
  }
};

}  // namespace

MSDA_PLUGIN(SharedMetadata)
