#include <msda/plugin.hpp>

namespace {

class TextureFetch final : public msda::Optimization {
 public:
  TextureFetch()
      : Optimization(
            {.name = "texture-fetch",
             .summary =
                 "reads value rows in global memory by texture fetches, beside the loads from "
                 "shared memory",
             .parameters = {}},
            {.skeleton = "direct",
             .slot = "reader",
             .type = "msda::texture_fetch::Reader",
             .header = "texture_fetch/reader.cuh",
             .traits = {"fetches-texels"}}) {}

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"value.texel > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(TextureFetch)
