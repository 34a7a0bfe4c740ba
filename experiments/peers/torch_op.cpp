// An operator of PyTorch as an arm: any that is registered with the dispatcher under the schema
//
//   (Tensor value, Tensor spatial_shapes, Tensor level_start_index, Tensor sampling_loc,
//    Tensor attn_weight, int im2col_step) -> Tensor
//
// options: "NAMESPACE::NAME@FILE", FILE being the library that registers it, or "NAMESPACE::NAME"
// for one that PyTorch has by itself. What is timed is what a model pays: the call through the
// dispatcher, the output that the operator allocates, and a copy of it to where the program looks.
// Compiled against the headers of the PyTorch that is there, whose flags torch_flags.py prints:
//
//   c++ -shared -fPIC -O2 -std=c++17 -o libtorch_op.so torch_op.cpp -I ../../core/include
//       $(python3 torch_flags.py)
#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/InferenceMode.h>
#ifdef PEER_TORCH_CUDA
#include <c10/cuda/CUDAGuard.h>
#endif

#include <dlfcn.h>

#include <algorithm>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>

#include <msda/external.h>

#define PEER_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr int kFailed = 1;
std::string last_error;  // NOLINT: errors of C entries are numbers

/// Runs the action; what it throws becomes an error code and last_error.
template <class Action>
int guarded(const Action& action) {
  try {
    action();
    return 0;
  } catch (const std::exception& error) {
    last_error = error.what();
    return kFailed;
  }
}

/// The operator that the options name; its library is loaded once and stays.
const c10::OperatorHandle& operator_of(const msda_problem& problem) {
  static std::map<std::string, c10::OperatorHandle> known;
  const std::string options = problem.options;
  const auto found = known.find(options);
  if (found != known.end()) return found->second;
  const std::size_t at = options.find('@');
  if (at != std::string::npos) {
    const std::string file = options.substr(at + 1);
    if (dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE) == nullptr) {
      throw std::runtime_error(dlerror());
    }
  }
  const std::string name = options.substr(0, at);
  if (name.empty()) throw std::runtime_error("options name no operator: NAMESPACE::NAME@FILE");
  return known.emplace(options, c10::Dispatcher::singleton().findSchemaOrThrow(name.c_str(), ""))
      .first->second;
}

at::ScalarType scalar_type(std::int32_t type) {
  return type == MSDA_FP32 ? at::kFloat : type == MSDA_FP16 ? at::kHalf : at::kBFloat16;
}

at::Device device_of(const msda_problem& problem) {
#ifdef PEER_TORCH_CUDA
  if (problem.device == MSDA_CUDA) return {at::kCUDA, c10::cuda::current_device()};
#endif
  return {at::kCPU};
}

at::Tensor tensor(const void* data, at::IntArrayRef sizes, at::ScalarType type,
                  const at::Device& device) {
  // PyTorch has no tensors of constants; the operator only reads.
  return at::from_blob(const_cast<void*>(data), sizes,
                       at::TensorOptions().dtype(type).device(device));
}

void run(const void* value, const std::int64_t* shapes, const std::int64_t* starts,
         const void* locations, const void* weights, void* output, const msda_problem& p,
         [[maybe_unused]] void* stream) {
  const c10::InferenceMode no_gradients;
  const at::Device device = device_of(p);
#ifdef PEER_TORCH_CUDA
  c10::optional<c10::cuda::CUDAStreamGuard> on_stream;
  if (device.is_cuda()) {
    on_stream.emplace(
        c10::cuda::getStreamFromExternal(static_cast<cudaStream_t>(stream), device.index()));
  }
#endif
  const auto type = scalar_type(p.value_type);
  std::vector<c10::IValue> stack = {
      tensor(value, {p.batch, p.spatial_size, p.heads, p.channels}, type, device),
      tensor(shapes, {p.levels, 2}, at::kLong, device),
      tensor(starts, {p.levels}, at::kLong, device),
      tensor(locations, {p.batch, p.queries, p.heads, p.levels, p.points, 2}, type, device),
      tensor(weights, {p.batch, p.queries, p.heads, p.levels, p.points}, type, device),
      std::int64_t{64}};  // im2col_step, as every model has it
  operator_of(p).callBoxed(&stack);
  at::Tensor to = tensor(output, {p.batch, p.queries, p.heads * p.channels}, type, device);
  to.copy_(stack.front().toTensor().view(to.sizes()));
}

}  // namespace

PEER_EXPORT const char* msda_forward_error(int) { return last_error.c_str(); }

PEER_EXPORT int msda_forward_query(const msda_problem* problem, msda_answer* answer) {
  answer->abi = MSDA_EXTERNAL_ABI;
  const bool one_type = problem->value_type == problem->location_type &&
                        problem->value_type == problem->weight_type &&
                        problem->value_type == problem->output_type;
  if (!one_type) answer->refusal = "it takes one type in all tensors";
  if (problem->layout != MSDA_PLAIN) answer->refusal = "it takes values without a border";
#ifndef PEER_TORCH_CUDA
  if (problem->device == MSDA_CUDA) answer->refusal = "this PyTorch is one for the CPU";
#endif
  return guarded([&] { operator_of(*problem); });
}

PEER_EXPORT int msda_forward(const void* value, const std::int64_t* shapes,
                             const std::int64_t* starts, const void* locations, const void* weights,
                             void* output, const msda_problem* problem, void*, void* stream) {
  return guarded([&] { run(value, shapes, starts, locations, weights, output, *problem, stream); });
}
