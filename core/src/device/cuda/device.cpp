#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "device/compiled_unit.hpp"
#include "device/cuda/ceilings.hpp"
#include "device/cuda/check.hpp"
#include "device/cuda/checksum.hpp"
#include "device/cuda/composed_executable.hpp"
#include "device/cuda/cuda.hpp"
#include "device/cuda/group.hpp"
#include "device/cuda/nvml.hpp"
#include "device/cuda/settings.hpp"
#include "device/cuda/timing.hpp"
#include "device/split.hpp"

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

std::string pci_bus_id(int ordinal) {
  std::array<char, 32> id{};
  check(cudaDeviceGetPCIBusId(id.data(), static_cast<int>(id.size()), ordinal),
        "cudaDeviceGetPCIBusId");
  return id.data();
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

/// One device's code and launches must be right for the other.
void require_alike(const DeviceInfo& first, const DeviceInfo& other) {
  if (first.name == other.name && first.compute_capability == other.compute_capability &&
      first.multiprocessors == other.multiprocessors && first.shared_bytes == other.shared_bytes) {
    return;
  }
  throw Unsupported(fmt::format(
      "{} ({}, {} multiprocessors) and {} ({}, {}) are not alike: a batch is shared among equals",
      first.id, first.name, first.multiprocessors, other.id, other.name, other.multiprocessors));
}

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int ordinal)
      : ordinal_(ordinal), info_(cuda_info(ordinal)), nvml_(pci_bus_id(ordinal)) {
    check(cudaSetDevice(ordinal), "cudaSetDevice");
    stream_.emplace();
    timing_.emplace(info_, stream_->get(), [this]() -> const Compiler& { return compiler(); });
  }

  const DeviceInfo& info() const override { return info_; }

  /// Also makes this device the thread's own again.
  std::unique_ptr<const DeviceSettings> settings() override {
    check(cudaSetDevice(ordinal_), "cudaSetDevice");
    return std::make_unique<CudaSettings>(stream_->get());
  }
  void apply(const DeviceSettings& settings) override {
    static_cast<const CudaSettings&>(settings).apply(stream_->get());
  }

  std::int64_t free_bytes() const override {
    std::size_t free = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return static_cast<std::int64_t>(free);
  }

  std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
    return std::make_unique<CudaMemory>(bytes);
  }

  std::vector<std::string> fingerprints(std::span<DeviceMemory* const> memory) override {
    try {
      if (!checksum_) checksum_.emplace(compiler(), info_);
    } catch (const EnvironmentError&) {
      return Device::fingerprints(memory);  // a machine without a compiler
    }
    // A copy from pageable memory may return before it has arrived; it is on the default stream.
    check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
    std::vector<std::string> hashes;
    for (const std::uint64_t sum : checksum_->of(memory, stream_->get())) {
      hashes.push_back(std::to_string(sum));
    }
    return hashes;
  }

  void enqueue_copy(void* to, const void* from, const Pieces& pieces) override {
    // Two-dimensional copies take pitches that are neither shorter than a piece nor beyond this.
    constexpr std::size_t kLargestPitch = std::size_t{1} << 30U;
    const auto [shorter, longer] = std::minmax(pieces.to_pitch, pieces.from_pitch);
    if (shorter >= pieces.bytes && longer <= kLargestPitch) {
      check(cudaMemcpy2DAsync(to, pieces.to_pitch, from, pieces.from_pitch, pieces.bytes,
                              pieces.count, cudaMemcpyDeviceToDevice, stream_->get()),
            "cudaMemcpy2DAsync");
      return;
    }
    for (std::size_t i = 0; i < pieces.count; ++i) {
      check(cudaMemcpyAsync(static_cast<std::byte*>(to) + i * pieces.to_pitch,
                            static_cast<const std::byte*>(from) + i * pieces.from_pitch,
                            pieces.bytes, cudaMemcpyDeviceToDevice, stream_->get()),
            "cudaMemcpyAsync");
    }
  }

  Stream stream() const override { return stream_->get(); }

  void wait() override { check(cudaStreamSynchronize(stream_->get()), "cudaStreamSynchronize"); }

  void synchronize() override {
    check(cudaStreamSynchronize(stream_->get()), "cudaStreamSynchronize");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    for (const auto& other : others_) {
      const CurrentDevice on(other->ordinal_);
      other->synchronize();
    }
  }

  Build compile(const Composition& composition, const Problem& problem) override {
    if (const auto reason = composition.unsupported(problem, info_)) throw Unsupported(*reason);
    if (composition.kernel() != nullptr) return {};
    return compile_unit(compiler(), composition, problem, info_);
  }

  Prepared load(const Composition& composition, const Problem& problem,
                const Build& build) override {
    if (composition.placement()) {
      return load_split(group_of(composition.device_count()), composition, problem, build);
    }
    if (const Kernel* kernel = composition.kernel()) {
      return make_prepared(kernel->prepare(problem, info_, composition.parts().front().parameters));
    }
    auto executable =
        std::make_unique<ComposedExecutable>(*build.unit, composition.op(), problem, info_);
    const ResourceUse resources = executable->resources();
    return make_prepared(std::move(executable), resources);
  }

  std::string mode_unsupported(TimingMode) const override { return ""; }

  std::vector<std::vector<double>> time_parts(TimingMode mode, int samples, int parts,
                                              const std::function<void(int, int)>& launch,
                                              LaunchWatch* watch) override {
    switch (mode) {
      case TimingMode::kCold:
        return timing_->cold(
            samples, parts, launch, [this] { flush_others(); }, watch);
      case TimingMode::kWarm: return timing_->warm(samples, parts, launch, watch);
      case TimingMode::kGraph:
        // Events inside a graph would be nodes of it, and it would not be the graph asked about.
        if (parts != 1) throw Unsupported("the parts of a launch are not timed inside a graph");
        return {timing_->graph(
            samples, [&](int i) { launch(i, 0); }, watch)};
      case TimingMode::kBehind:
        if (parts != 1) throw Unsupported("the parts of a launch are not timed inside a graph");
        return {timing_->behind(
            samples, [&](int i) { launch(i, 0); }, watch)};
    }
    throw Error("unknown timing mode");
  }

  std::map<std::string, std::string> provenance() const override {
    int driver = 0;
    int runtime = 0;
    check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
    check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    std::map<std::string, std::string> known = {
        {"gpu", info_.name},
        {"cuda_driver", version_text(driver)},
        {"cuda_runtime", version_text(runtime)},
        {"nvrtc", nvrtc_version()},
        {"architecture", architecture_name(info_.compute_capability)}};
    known.merge(nvml_.facts());
    return known;
  }

  std::optional<Conditions> conditions() const override { return nvml_.conditions(); }
  std::optional<double> energy_joules() const override { return nvml_.energy_joules(); }
  std::vector<std::string> throttled() const override { return nvml_.throttled(); }

  Ceilings measure_ceilings() override {
    return measure_cuda_ceilings(compiler(), info_, stream_->get());
  }

 private:
  /// This device and those after it, opened when they are first needed.
  std::unique_ptr<DeviceGroup> group_of(int count) {
    const int there = static_cast<int>(cuda_devices().size()) - ordinal_;
    if (there < count) {
      throw Unsupported(fmt::format("{} devices from {} on are needed, and there {} {}", count,
                                    info_.id, there == 1 ? "is" : "are", there));
    }
    const CurrentDevice back(ordinal_);
    while (static_cast<int>(others_.size()) + 1 < count) {
      const int next = ordinal_ + 1 + static_cast<int>(others_.size());
      require_alike(info_, cuda_info(next));
      others_.push_back(std::make_unique<CudaDevice>(next));
      check(cudaSetDevice(ordinal_), "cudaSetDevice");
    }
    std::vector<Device*> others;
    for (int i = 0; i + 1 < count; ++i)
      others.push_back(others_[static_cast<std::size_t>(i)].get());
    return make_cuda_group(*this, ordinal_, std::move(others));
  }

  /// A sample begins when the caches of the other devices are cold too.
  void flush_others() {
    for (const auto& other : others_) {
      const CurrentDevice on(other->ordinal_);
      other->timing_->flush_l2();
      CudaSignal().pass(other->stream_->get(), stream_->get());
    }
  }

  /// Made when it is first needed: a GPU is of use without CUDA's headers too.
  const Compiler& compiler() {
    const std::lock_guard lock(compiler_mutex_);
    if (!compiler_) compiler_.emplace();
    return *compiler_;
  }

  int ordinal_;
  DeviceInfo info_;
  NvmlDevice nvml_;
  std::optional<CudaStream> stream_;  ///< made after cudaSetDevice
  std::optional<CudaTiming> timing_;
  std::mutex compiler_mutex_;
  std::optional<Compiler> compiler_;
  std::optional<CudaChecksum> checksum_;
  std::vector<std::unique_ptr<CudaDevice>> others_;  ///< those after it, as far as a launch asked
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
  devices.reserve(static_cast<std::size_t>(count));
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
