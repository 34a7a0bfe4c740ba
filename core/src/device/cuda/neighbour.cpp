#include "device/cuda/neighbour.hpp"

#include "compose/unit_writer.hpp"
#include "device/cuda/check.hpp"

namespace msda {
namespace {

constexpr const char* kNeighbourKernel = "msda::microbench::neighbour";
constexpr unsigned kNeighbourThreads = 256;  ///< as microbench/neighbour.cuh has it
constexpr unsigned kNeighbourWordBytes = 16;

Module compile_neighbour(const Compiler& compiler, const DeviceInfo& device) {
  const Unit unit{"neighbour",
                  "#include <msda/microbench/neighbour.cuh>\n",
                  device_headers(),
                  {kNeighbourKernel},
                  ""};
  return compiler.compile(unit, architecture_name(device.compute_capability));
}

}  // namespace

CudaNeighbour::CudaNeighbour(const Compiler& compiler, const DeviceInfo& device)
    : module_(compile_neighbour(compiler, device)),
      words_(static_cast<unsigned>(device.l2_bytes / 4 / kNeighbourWordBytes)),
      from_(std::size_t{words_} * kNeighbourWordBytes),
      to_(std::size_t{words_} * kNeighbourWordBytes) {
  check(cudaMemset(from_.data(), 0, from_.size()), "cudaMemset");
}

void CudaNeighbour::launch(cudaStream_t stream) {
  const void* from = from_.data();
  void* to = to_.data();
  void* parameters[] = {&from, &to, &words_};
  check(cudaLaunchKernel(reinterpret_cast<const void*>(module_.kernel(kNeighbourKernel)),
                         dim3((words_ + kNeighbourThreads - 1) / kNeighbourThreads),
                         dim3(kNeighbourThreads), parameters, 0, stream),
        "cudaLaunchKernel");
}

}  // namespace msda
