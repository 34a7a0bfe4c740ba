#include <msda/levels.hpp>
#include <msda/plugin.hpp>

namespace {

class TextureSource final : public msda::Optimization {
 public:
  TextureSource()
      : Optimization(
            {.name = "texture",
             .summary = "values in layered textures: the texture unit blends the four corners",
             .parameters = {}},
            {.skeleton = "direct",
             .slot = "source",
             .type = "msda::texture::Source",
             .header = "texture/source.cuh",
             .traits = {"blends-texels"},
             .excludes = {
                 msda::needs_fixed_levels("a texture is an array of the size of its level"),
                 {"reads-sides", "the texture unit reads both sides of a point at once"},
                 {"blends-16-bit", "the texture unit blends, and returns fp32"},
                 {"encodes-values", "textures hold the values as the problem stores them"},
                 {"fetches-texels", "the texture unit blends, and there is no row to fetch"}}}) {}

  std::optional<std::string> unsupported(const msda::Problem& problem, const msda::DeviceInfo&,
                                         const msda::Parameters&) const override {
    if (problem.types.value == msda::DType::kBFloat16) return "textures have no bf16 texels";
    if (problem.channels % 4 != 0) {
      return "a texel holds 4 channels, and " + std::to_string(problem.channels) +
             " are no multiple of it";
    }
    const std::int64_t layers = problem.batch * problem.heads * problem.channels / 4;
    constexpr std::int64_t kLayerLimit = 2048;  // of layered 2D textures, all architectures
    if (layers > kLayerLimit) {
      return "B*H*C/4 is " + std::to_string(layers) + " layers; a texture has at most " +
             std::to_string(kLayerLimit);
    }
    return std::nullopt;
  }

  /// The unit keeps 8 bits of the fraction between pixels (CUDA C Programming Guide, "Linear
  /// Filtering"), and may be off by one in the last of them.
  msda::Arithmetic arithmetic(const msda::Problem&, const msda::Parameters&) const override {
    msda::Arithmetic arithmetic;
    arithmetic.fraction_step = 2.0 / 256;
    return arithmetic;
  }

  std::vector<std::string> evidence(const msda::Problem&, const msda::Parameters&) const override {
    return {"texture.blends > 0"};
  }
};

}  // namespace

MSDA_PLUGIN(TextureSource)
