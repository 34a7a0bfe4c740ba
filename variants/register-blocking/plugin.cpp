#include <msda/lanes.hpp>
#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class RegisterBlocking final : public msda::Optimization {
 public:
  RegisterBlocking()
      : Optimization(
            {.name = "register-blocking",
             .summary = "several rows per lane group at a time: more independent loads in flight",
             .parameters = {ParameterSpec::integer("rows", "rows per lane group", 2, 1, 8),
                            ParameterSpec::one_of<std::int64_t>(
                                "width", "channels per lane; 0: as many as 16 bytes hold", 0,
                                {0, 1, 2, 4, 8}),
                            ParameterSpec::integer("threads", "threads per block, at most", 256, 32,
                                                   1024)}},
            {.skeleton = "direct",
             .slot = "mapping",
             .type = "msda::register_blocking::Mapping",
             .header = "register_blocking/mapping.cuh"}) {}

  std::optional<std::string> unsupported(const msda::Problem& problem, const msda::DeviceInfo&,
                                         const msda::Parameters& parameters) const override {
    return msda::row_refusal(problem, parameters.get<std::int64_t>("width"),
                             parameters.get<std::int64_t>("threads"));
  }

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"rows.of-a-thread > 1"};
  }
};

}  // namespace

MSDA_PLUGIN(RegisterBlocking)
