#include <msda/placement.hpp>
#include <msda/plugin.hpp>

namespace {

constexpr const char* kWritten = "written";

class BatchSplit final : public msda::Placement {
 public:
  BatchSplit()
      : Placement({.name = "batch-split",
                   .summary = "the images of one call are shared among several devices",
                   .parameters = {
                       msda::ParameterSpec::integer(
                           "devices", "how many, from the one that is asked for on", 2, 2, 16),
                       msda::ParameterSpec::one_of<std::string>(
                           "output",
                           "how rows come to the first device: written by the others' kernels, or "
                           "copied when these end",
                           kWritten, {kWritten, "copied"})}}) {}

  int devices(const msda::Parameters& parameters) const override {
    return static_cast<int>(parameters.get<std::int64_t>("devices"));
  }

  Gather gather(const msda::Parameters& parameters) const override {
    return parameters.get<std::string>("output") == kWritten ? Gather::kWritten : Gather::kCopied;
  }

  std::vector<std::string> evidence(const msda::Problem&,
                                    const msda::Parameters& parameters) const override {
    return {"devices == " + std::to_string(devices(parameters))};
  }
};

}  // namespace

MSDA_PLUGIN(BatchSplit)
