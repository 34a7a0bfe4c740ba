#include "gpu/cuda_ceilings.hpp"

#include <algorithm>

#include "compose/unit_writer.hpp"
#include "gpu/cuda_check.hpp"
#include "gpu/cuda_memory.hpp"
#include "gpu/cuda_module.hpp"

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

double l1_bandwidth(const Compiler& compiler, const DeviceInfo& device, cudaStream_t stream) {
  constexpr int kThreads = 256;
  constexpr int kBlocksPerMultiprocessor = 8;
  constexpr std::size_t kBlockBytes = 512 * 16;  // kL1Words words of l1_read.cuh
  const std::string kernel_name = "msda::microbench::l1_read";
  Unit unit{
      "l1_read", "#include <msda/microbench/l1_read.cuh>\n", device_headers(), {kernel_name}, ""};
  const CudaModule module(compiler.compile(unit, architecture_name(device.compute_capability)));
  const auto blocks = static_cast<unsigned>(kBlocksPerMultiprocessor * device.multiprocessors);
  CudaMemory data(blocks * kBlockBytes);
  CudaMemory sink(blocks * kThreads * sizeof(unsigned));
  data.fill(1);
  int rounds = 1024;
  unsigned step = kThreads;
  void* data_pointer = data.data();
  void* sink_pointer = sink.data();
  void* parameters[] = {&data_pointer, &sink_pointer, &rounds, &step};
  const cudaKernel_t kernel = module.kernel(kernel_name);
  const double seconds = best_seconds(stream, [&] {
    check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(kThreads),
                           parameters, 0, stream),
          "cudaLaunchKernel");
  });
  return static_cast<double>(blocks) * kBlockBytes * rounds / seconds;
}

}  // namespace

Ceilings measure_cuda_ceilings(const Compiler& compiler, const DeviceInfo& device,
                               cudaStream_t stream) {
  return {copy_bandwidth(device, stream), l1_bandwidth(compiler, device, stream)};
}

}  // namespace msda
