// cpu-backward-scalar: the gradients of backward.hpp as plain loops.
//
//   for each image b, query q, head h, level l, point p, with the dots D_k of g[b,q,h,:] and the
//   values of the point's corners k:
//     grad_attention_weights[b,q,h,l,p] = blend of D_k
//     grad_sampling_locations[b,q,h,l,p,:] = attn * size of the level * differences of D_k
//   for each image b, head h, level l, then for each query q, point p, corner k:
//     grad_value[b,k,h,:] += attn * corner weight * g[b,q,h,:]
#include <msda/plugin.hpp>

#include "gradients.hpp"

namespace msda::cpu_backward_scalar {
namespace {

class CpuBackwardScalarExecutable final : public Executable {
 public:
  explicit CpuBackwardScalarExecutable(const Problem& problem) : gradients_(problem) {}

  void launch(const Tensors& tensors, Stream /*stream*/) override {
    const backward::View view(tensors);
    const Problem& problem = gradients_.problem();
    if (gradients_.of_value(view)) gradients_.clear_borders(view);
    for (std::int64_t b = 0; b < problem.batch; ++b) {
      for (std::int64_t h = 0; h < problem.heads; ++h) {
        if (gradients_.of_points(view)) {
          gradients_.run(view, cpu::QueryRange{b, h, 0, problem.queries}, own_);
        }
        for (std::size_t l = 0; gradients_.of_value(view) && l < problem.levels.size(); ++l) {
          gradients_.run(view, cpu::Tile{b, h, l, 0, problem.levels[l].height}, own_);
        }
      }
    }
  }

 private:
  cpu::Gradients gradients_;
  cpu::GradientWorkspace own_;
};

class CpuBackwardScalar final : public Kernel {
 public:
  CpuBackwardScalar()
      : Kernel({.name = MSDA_VARIANT_NAME,
                .summary = "the gradients as plain loops: one CPU thread, no vector instructions",
                .parameters = {}},
               DeviceKind::kCpu) {}

  std::string computes(const Parameters& /*parameters*/) const override { return "backward"; }

  std::unique_ptr<Executable> prepare(const Problem& problem, const DeviceInfo& /*device*/,
                                      const Parameters& /*parameters*/) const override {
    return std::make_unique<CpuBackwardScalarExecutable>(problem);
  }
};

}  // namespace
}  // namespace msda::cpu_backward_scalar

MSDA_PLUGIN(msda::cpu_backward_scalar::CpuBackwardScalar)
