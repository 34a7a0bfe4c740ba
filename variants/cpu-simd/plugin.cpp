// cpu-simd: one thread, vectors of channels.
#include <msda/plugin.hpp>

#include "rows.hpp"

namespace msda::cpu_simd {
namespace {

class CpuSimdExecutable final : public Executable {
 public:
  CpuSimdExecutable(const Problem& problem, const Parameters& parameters)
      : rows_(problem, parameters), workspace_(rows_.plan()), batch_(problem.batch) {}

  void launch(const Tensors& tensors, Stream /*stream*/) override {
    for (std::int64_t row = 0; row < rows_.copy_rows(); ++row) rows_.copy_row(tensors, row);
    // One head of one image after the other: the pixels that are read stay in the cache longest so.
    for (std::int64_t b = 0; b < batch_; ++b) {
      for (std::int64_t h = 0; h < rows_.plan().heads; ++h) {
        rows_.run(tensors, {.batch = b, .head = h, .begin = 0, .end = rows_.plan().queries},
                  workspace_);
      }
    }
  }

 private:
  cpu_rows::Rows rows_;
  cpu_rows::Workspace workspace_;
  std::int64_t batch_;
};

class CpuSimd final : public Kernel {
 public:
  CpuSimd()
      : Kernel({.name = MSDA_VARIANT_NAME,
                .summary = "one CPU thread, vector instructions over the channels",
                .parameters = cpu_rows::row_parameters()},
               DeviceKind::kCpu) {}

  std::optional<std::string> unsupported(const Problem& problem, const DeviceInfo& /*device*/,
                                         const Parameters& parameters) const override {
    return cpu_rows::rows_unsupported(problem, parameters);
  }

  std::unique_ptr<Executable> prepare(const Problem& problem, const DeviceInfo& /*device*/,
                                      const Parameters& parameters) const override {
    return std::make_unique<CpuSimdExecutable>(problem, parameters);
  }
};

}  // namespace
}  // namespace msda::cpu_simd

MSDA_PLUGIN(msda::cpu_simd::CpuSimd)
