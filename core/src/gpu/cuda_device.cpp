#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <optional>

#include "compose/unit_writer.hpp"
#include "gpu/composed_executable.hpp"
#include "gpu/cuda.hpp"
#include "gpu/cuda_ceilings.hpp"
#include "gpu/cuda_check.hpp"
#include "gpu/cuda_timing.hpp"

namespace msda {
namespace {

DeviceInfo cuda_info(int ordinal) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, ordinal), "cudaGetDeviceProperties");
  DeviceInfo info;
  info.id = fmt::format("cuda:{}", ordinal);
  info.name = properties.name;
  info.kind = DeviceKind::kCuda;
  info.compute_capability = 10 * properties.major + properties.minor;
  info.multiprocessors = properties.multiProcessorCount;
  info.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  info.l2_bytes = properties.l2CacheSize;
  info.shared_bytes = static_cast<std::int64_t>(properties.sharedMemPerBlockOptin);
  return info;
}

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

class CudaStream {
 public:
  CudaStream() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  ~CudaStream() { cudaStreamDestroy(stream_); }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int ordinal) : info_(cuda_info(ordinal)) {
    check(cudaSetDevice(ordinal), "cudaSetDevice");
    stream_.emplace();
    timing_.emplace(info_, stream_->get());
  }

  const DeviceInfo& info() const override { return info_; }

  std::int64_t free_bytes() const override {
    std::size_t free = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return static_cast<std::int64_t>(free);
  }

  std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
    return std::make_unique<CudaMemory>(bytes);
  }

  Stream stream() const override { return stream_->get(); }

  void synchronize() override {
    check(cudaStreamSynchronize(stream_->get()), "cudaStreamSynchronize");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

  Prepared prepare(const Composition& composition, const Problem& problem) override {
    if (const auto reason = composition.unsupported(problem, info_)) throw Unsupported(*reason);
    if (const Kernel* kernel = composition.kernel()) {
      return {kernel->prepare(problem, info_, composition.parts().front().parameters), {}};
    }
    const ComposedUnit composed = write_unit(composition, problem);
    auto executable = std::make_unique<ComposedExecutable>(
        composed, compiler().compile(composed.unit, architecture_name(info_.compute_capability)),
        problem, info_);
    const ResourceUse resources = executable->resources();
    return {std::move(executable), resources};
  }

  std::string mode_unsupported(TimingMode) const override { return ""; }

  std::vector<double> time(TimingMode mode, int samples,
                           const std::function<void(int)>& launch) override {
    switch (mode) {
      case TimingMode::kCold: return timing_->cold(samples, launch);
      case TimingMode::kWarm: return timing_->warm(samples, launch);
      case TimingMode::kGraph: return timing_->graph(samples, launch);
    }
    throw Error("unknown timing mode");
  }

  std::map<std::string, std::string> provenance() const override {
    int driver = 0;
    int runtime = 0;
    check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
    check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    return {{"gpu", info_.name},
            {"cuda_driver", version_text(driver)},
            {"cuda_runtime", version_text(runtime)},
            {"nvrtc", nvrtc_version()},
            {"architecture", architecture_name(info_.compute_capability)}};
  }

  Ceilings measure_ceilings() override {
    return measure_cuda_ceilings(compiler(), info_, stream_->get());
  }

 private:
  const Compiler& compiler() {
    if (!compiler_) compiler_.emplace();
    return *compiler_;
  }

  DeviceInfo info_;
  std::optional<CudaStream> stream_;  ///< made after cudaSetDevice
  std::optional<CudaTiming> timing_;
  std::optional<Compiler> compiler_;
};

/// Number of devices, and why it is zero.
std::pair<int, std::string> count_devices() {
  int count = 0;
  const cudaError_t result = cudaGetDeviceCount(&count);
  if (result == cudaSuccess && count > 0) return {count, ""};
  static_cast<void>(cudaGetLastError());
  if (result == cudaErrorInsufficientDriver) {
    return {0, "no NVIDIA driver, or one older than the CUDA runtime of this program"};
  }
  return {0, result == cudaSuccess ? "no CUDA device" : cudaGetErrorString(result)};
}

}  // namespace

std::vector<DeviceInfo> cuda_devices() {
  std::vector<DeviceInfo> devices;
  const int count = count_devices().first;
  for (int ordinal = 0; ordinal < count; ++ordinal) devices.push_back(cuda_info(ordinal));
  return devices;
}

std::string cuda_unavailable_reason() { return count_devices().second; }

std::unique_ptr<Device> open_cuda(int ordinal) {
  const auto [count, reason] = count_devices();
  if (ordinal >= count) {
    throw EnvironmentError(
        count == 0
            ? fmt::format("no device cuda:{}: {}", ordinal, reason)
            : fmt::format("no device cuda:{}: there are {}, from cuda:0 on", ordinal, count));
  }
  return std::make_unique<CudaDevice>(ordinal);
}

}  // namespace msda
