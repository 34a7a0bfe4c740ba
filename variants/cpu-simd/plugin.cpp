// cpu-simd: one thread, vectors of channels.
#include <msda/plugin.hpp>

#include "rows.hpp"

namespace msda::cpu_simd {
namespace {

class CpuSimdExecutable final : public Executable {
 public:
  CpuSimdExecutable(const Problem& problem, const std::string& instruction_set)
      : rows_(problem, instruction_set), workspace_(rows_.plan()), batch_(problem.batch) {}

  void launch(const Tensors& tensors, Stream /*stream*/) override {
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
                .parameters = {cpu_rows::instruction_set_parameter()}},
               DeviceKind::kCpu) {}

  std::optional<std::string> unsupported(const Problem& problem, const DeviceInfo& /*device*/,
                                         const Parameters& parameters) const override {
    if (auto reason = cpu_rows::cannot_run(parameters.get<std::string>("isa"))) return reason;
    return cpu_rows::cannot_do(problem);
  }

  std::unique_ptr<Executable> prepare(const Problem& problem, const DeviceInfo& /*device*/,
                                      const Parameters& parameters) const override {
    return std::make_unique<CpuSimdExecutable>(problem, parameters.get<std::string>("isa"));
  }
};

}  // namespace
}  // namespace msda::cpu_simd

MSDA_PLUGIN(msda::cpu_simd::CpuSimd)
