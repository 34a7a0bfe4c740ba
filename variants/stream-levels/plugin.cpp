#include <msda/lanes.hpp>
#include <msda/levels.hpp>
#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class StreamLevels final : public msda::Optimization {
 public:
  StreamLevels()
      : Optimization(
            {.name = "stream-levels",
             .summary = "levels pass through two buffers in shared memory: the next one is copied "
                        "while this one is blended",
             .parameters = {ParameterSpec::integer("budget",
                                                   "kilobytes of shared memory for both buffers",
                                                   96, 1, 220),
                            msda::padding_parameter(),
                            ParameterSpec::one_of<std::string>(
                                "copy",
                                "how levels are copied: words through registers, async with "
                                "cp.async",
                                "async", {"words", "async"})}},
            {.skeleton = "direct",
             .slot = "source",
             .type = "msda::stream_levels::Source",
             .header = "stream_levels/source.cuh",
             .excludes = {
                 msda::needs_fixed_levels("the stages of its ring are levels of constant sizes"),
                 {"splits-values", "a row is copied as one run of bytes"}}}) {}

  std::optional<std::string> unsupported(const msda::Problem&, const msda::DeviceInfo& device,
                                         const msda::Parameters& parameters) const override {
    const bool is_async = parameters.get<std::string>("copy") == "async";
    if (!is_async || device.compute_capability >= 80) return std::nullopt;
    return "cp.async needs compute capability 8.0";
  }

  std::vector<std::string> evidence(const msda::Problem&,
                                    const msda::Parameters& parameters) const override {
    if (parameters.get<std::string>("copy") == "words") return {"shared.source.loads > 0"};
    return {"shared.source.loads > 0", "value.cp-async > 0", "cp-async.overlapped > 0",
            "sass.LDGSTS > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(StreamLevels)
