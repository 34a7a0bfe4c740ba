#include <msda/plugin.hpp>

namespace {

using msda::ParameterSpec;

class MemcpyAsync final : public msda::Optimization {
 public:
  MemcpyAsync()
      : Optimization(
            {.name = "memcpy-async",
             .summary =
                 "values copied to shared memory with cp.async while earlier ones are blended",
             .parameters = {ParameterSpec::integer(
                 "stages", "batches of points in shared memory at a time", 2, 2, 6)}},
            {.skeleton = "direct",
             .slot = "fetch",
             .type = "msda::memcpy_async::Fetch",
             .header = "memcpy_async/fetch.cuh",
             .excludes = {{"splits-values", "a row is copied as one run of bytes"},
                          {"fetches-texels", "what is copied has an address"},
                          {"blends-texels", "the texture unit blends, and no row is copied"}}}) {}

  std::optional<std::string> unsupported(const msda::Problem&, const msda::DeviceInfo& device,
                                         const msda::Parameters&) const override {
    if (device.compute_capability >= 80) return std::nullopt;
    return "cp.async needs compute capability 8.0";
  }

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"value.cp-async > 0", "cp-async.overlapped > 0", "sass.LDGSTS > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(MemcpyAsync)
