#include "device/cuda/ceilings.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "compose/unit_writer.hpp"
#include "device/cuda/check.hpp"
#include "device/cuda/memory.hpp"
#include "device/cuda/module.hpp"

namespace msda {
namespace {

constexpr int kRepetitions = 10;

/// Shortest of several runs: a ceiling is what the device can do.
template <class Enqueue>
double best_seconds(cudaStream_t stream, const Enqueue& enqueue) {
  CudaEvents events(kRepetitions + 1);
  enqueue();
  events.record(0, stream);
  for (int i = 0; i < kRepetitions; ++i) {
    enqueue();
    events.record(i + 1, stream);
  }
  double best = events.seconds(0, 1);
  for (int i = 1; i < kRepetitions; ++i) best = std::min(best, events.seconds(i, i + 1));
  return best;
}

double copy_bandwidth(const DeviceInfo& device, cudaStream_t stream) {
  const auto bytes =
      static_cast<std::size_t>(std::min<std::int64_t>(1LL << 30, device.memory_bytes / 8));
  CudaMemory from(bytes);
  CudaMemory to(bytes);
  from.fill(1);
  const double seconds = best_seconds(stream, [&] {
    check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, stream),
          "cudaMemcpyAsync");
  });
  return 2.0 * static_cast<double>(bytes) / seconds;
}

/// The kernels of microbench/reads.cuh, which read 8 KiB per block and round.
class ReadBandwidth {
 public:
  ReadBandwidth(const Compiler& compiler, const DeviceInfo& device, cudaStream_t stream)
      : blocks_(static_cast<unsigned>(kBlocksPerMultiprocessor * device.multiprocessors)),
        stream_(stream),
        data_(blocks_ * kBlockBytes),
        sink_(std::size_t{blocks_} * kThreads * sizeof(unsigned)) {
    Unit unit{"reads", "#include <msda/microbench/reads.cuh>\n", device_headers(), {}, ""};
    unit.kernels = {name_of("l1_read"), name_of("l2_read"), name_of("l2_gather"),
                    name_of("shared_read"), name_of("cluster_read")};
    module_.emplace(compiler.compile(unit, architecture_name(device.compute_capability)));
    data_.fill(1);
  }

  /// Bytes per second that `kernel` reads with `shared_bytes` of shared memory, in clusters of
  /// `cluster` blocks.
  double of(const char* kernel, unsigned shared_bytes = 0, unsigned cluster = 1) {
    return measure(kernel, kThreads, shared_bytes, cluster);
  }

  /// Of rows anywhere in all data, and in a part that one half of a divided L2 may hold alone.
  double of_gathers() {
    const auto rows = static_cast<unsigned>(data_.size() / kRowBytes);
    return std::max(measure("l2_gather", rows, 0, 1), measure("l2_gather", rows / 8, 0, 1));
  }

  static constexpr std::size_t kBlockBytes = std::size_t{512} * 16;  ///< kBlockWords words

 private:
  static constexpr int kThreads = 256;
  static constexpr int kBlocksPerMultiprocessor = 8;
  static constexpr std::size_t kRowBytes = 64;  ///< of l2_gather
  static std::string name_of(const std::string& kernel) { return "msda::microbench::" + kernel; }

  /// `argument` is the kernel's last.
  double measure(const char* kernel, unsigned argument, unsigned shared_bytes, unsigned cluster) {
    int rounds = 1024;
    void* data = data_.data();
    void* sink = sink_.data();
    void* parameters[] = {&data, &sink, &rounds, &argument};
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {cluster, 1, 1};
    cudaLaunchConfig_t configuration{};
    configuration.gridDim = dim3(blocks_);
    configuration.blockDim = dim3(kThreads);
    configuration.dynamicSmemBytes = shared_bytes;
    configuration.stream = stream_;
    configuration.attrs = &attribute;
    configuration.numAttrs = cluster > 1 ? 1 : 0;
    const auto* function = reinterpret_cast<const void*>(module_->kernel(name_of(kernel)));
    const double seconds = best_seconds(stream_, [&] {
      check(cudaLaunchKernelExC(&configuration, function, parameters), "cudaLaunchKernelExC");
    });
    return static_cast<double>(blocks_) * kBlockBytes * rounds / seconds;
  }

  unsigned blocks_;
  cudaStream_t stream_;
  CudaMemory data_;
  CudaMemory sink_;
  std::optional<CudaModule> module_;
};

}  // namespace

Ceilings measure_cuda_ceilings(const Compiler& compiler, const DeviceInfo& device,
                               cudaStream_t stream) {
  ReadBandwidth reads(compiler, device, stream);
  Ceilings measured;
  measured.dram_bytes_per_second = copy_bandwidth(device, stream);
  measured.gather_bytes_per_second = reads.of("l1_read");
  measured.l2_bytes_per_second = std::max(reads.of("l2_read"), reads.of_gathers());
  measured.shared_bytes_per_second = reads.of("shared_read", ReadBandwidth::kBlockBytes);
  if (device.compute_capability >= 90) {
    measured.cluster_bytes_per_second = reads.of("cluster_read", ReadBandwidth::kBlockBytes, 2);
  }
  return measured;
}

}  // namespace msda
