// A kernel written in Triton (triton_kernel.py), compiled ahead of time by triton_build.py, which
// writes the table of cubins that this includes.
#include <map>

#include "adapter.cuh"

namespace {

/// One cubin, for one type and number of channels.
struct Compiled {
  int type;
  int channels;
  int rows;  ///< of a program, which is a block
  int threads;
  int shared_bytes;
  const char* name;
  const unsigned char* cubin;
};

#include <triton_kernels.inc>

const Compiled* find(const msda_problem& p) {
  for (const Compiled& compiled : kCompiled) {
    if (compiled.type == p.value_type && compiled.channels == p.channels) return &compiled;
  }
  return nullptr;
}

/// The kernel, loaded when it is first asked for.
cudaError_t load(const Compiled& compiled, cudaKernel_t& kernel) {
  static std::map<const Compiled*, cudaKernel_t> loaded;
  const auto found = loaded.find(&compiled);
  if (found != loaded.end()) {
    kernel = found->second;
    return cudaSuccess;
  }
  cudaLibrary_t library = nullptr;
  cudaError_t result =
      cudaLibraryLoadData(&library, compiled.cubin, nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (result == cudaSuccess) result = cudaLibraryGetKernel(&kernel, library, compiled.name);
  if (result == cudaSuccess) loaded.emplace(&compiled, kernel);
  return result;
}

}  // namespace

PEER_ERROR_TEXTS

PEER_EXPORT int msda_forward_query(const msda_problem* problem, msda_answer* answer) {
  std::string refusal = peer::refusal(*problem, {MSDA_FP32, MSDA_FP16, MSDA_BF16}, MSDA_PLAIN, 2);
  if (refusal.empty() && find(*problem) == nullptr) {
    refusal = "it is compiled for 16, 32 and 64 channels";
  }
  return peer::answer_with(refusal, answer);
}

PEER_EXPORT int msda_forward(const void* value, const std::int64_t* shapes,
                             const std::int64_t* starts, const void* locations, const void* weights,
                             void* output, const msda_problem* problem, void*, void* stream) {
  const Compiled& compiled = *find(*problem);
  cudaKernel_t kernel = nullptr;
  if (const cudaError_t result = load(compiled, kernel); result != cudaSuccess) return result;
  std::int64_t rows = problem->batch * problem->queries * problem->heads;
  std::int64_t queries = problem->queries;
  std::int64_t spatial_size = problem->spatial_size;
  auto heads = static_cast<int>(problem->heads);
  auto levels = static_cast<int>(problem->levels);
  auto points = static_cast<int>(problem->points);
  // Versions of Triton add up to two pointers to scratch memory, which this kernel does not use.
  void* none[2] = {nullptr, nullptr};
  void* arguments[] = {&value,   &shapes,       &starts, &locations, &weights, &output,  &rows,
                       &queries, &spatial_size, &heads,  &levels,    &points,  &none[0], &none[1]};
  const auto blocks = static_cast<unsigned>((rows + compiled.rows - 1) / compiled.rows);
  return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(blocks),
                          dim3(static_cast<unsigned>(compiled.threads)), arguments,
                          static_cast<std::size_t>(compiled.shared_bytes),
                          static_cast<cudaStream_t>(stream));
}
