
// --- The C entries of the gradients -------------------------------------------------------------

namespace {

/// In the order of the operator's list.
enum BackwardTensor : int {
  kValue,
  kLocations,
  kWeights,
  kGradOutput,
  kGradValue,
  kGradLocations,
  kGradWeights,
  kBackwardTensors
};
constexpr const char* kBackwardNames[] = {
    "value",      "locations",
    "weights",    "grad_output",
    "grad_value", "grad_sampling_locations",
    "grad_attention_weights"};

/// The option with which only kernels run whose runs all leave the same bits.
constexpr const char* kRepeatable = "repeatable";

struct Backward {
  const msda_problem& p;
  void* const* tensors;

  int64_t element_bytes(int tensor) const {
    const int32_t type = tensor == kGradLocations ? p.location_type
                         : tensor == kGradWeights ? p.weight_type
                                                  : p.value_type;
    return type == MSDA_FP32 ? 4 : 2;
  }
  int64_t elements(int tensor) const {
    if (tensor == kGradValue) return p.batch * p.spatial_size * p.heads * p.channels;
    const int64_t points = p.batch * p.queries * p.heads * row_points(p);
    return tensor == kGradLocations ? 2 * points : points;
  }
  size_t bytes(int tensor) const {
    return static_cast<size_t>(elements(tensor) * element_bytes(tensor));
  }
  bool is_asked(int tensor) const { return tensors[tensor] != nullptr; }

  /// Null where the general kernel has to do it. Gradients of points are the same in every run.
  Tuned* kernel() const {
    if (!are_aligned(tensors, kBackwardTensors)) return nullptr;
    return choose(backward_kernels, p, has_option(p, kRepeatable) && is_asked(kGradValue));
  }
  /// The general kernel sums in fp32, and in any order on a GPU.
  bool needs_sums() const {
    return p.device == MSDA_CUDA && is_asked(kGradValue) && p.value_type != MSDA_FP32;
  }
  /// Of the kernel, and of the gradients that it computes and nobody asks for.
  size_t workspace() const {
    const Tuned* tuned = kernel();
    if (tuned == nullptr) return needs_sums() ? elements(kGradValue) * sizeof(float) : 0;
    size_t all = workspace_bytes(*tuned, p);
    for (int t = kGradValue; t < kBackwardTensors; ++t) all += is_asked(t) ? 0 : aligned(bytes(t));
    return all;
  }
};

int general_backward(const Backward& call, const int64_t* shapes, const int64_t* starts,
                     void* workspace, cudaStream_t stream) {
  const msda_problem& p = call.p;
  void* const* tensors = call.tensors;
  const bool on_gpu = p.device == MSDA_CUDA;
  if (on_gpu && has_option(p, kRepeatable) && call.is_asked(kGradValue)) return kOrder;
  msda::general::Call general{};
  const int failed = general_call(p, shapes, starts, tensors, general);
  if (failed != 0) return failed;
  if (call.needs_sums() && workspace == nullptr) return kState;
  const msda::general::Gradients gradients = {
      tensors[kGradOutput],
      static_cast<float*>(call.needs_sums() ? workspace : tensors[kGradValue]),
      tensors[kGradLocations],
      tensors[kGradWeights],
      p.location_type == MSDA_FP32,
      p.weight_type == MSDA_FP32};
  return with_value(p, [&]<class Value>() -> int {
    if (on_gpu)
      return msda::general::run_backward_on_device<Value>(
          general, gradients, tensors[kGradValue], attribute(cudaDevAttrMultiProcessorCount),
          stream);
    msda::general::run_backward_on_cpu<Value>(general, gradients, tensors[kGradValue]);
    return 0;
  });
}

/// To zeros; null is no tensor.
int clear_tensor(const msda_problem& p, void* tensor, size_t bytes, cudaStream_t stream) {
  if (tensor == nullptr || bytes == 0) return 0;
  if (p.device == MSDA_CUDA) return cudaMemsetAsync(tensor, 0, bytes, stream);
  std::memset(tensor, 0, bytes);
  return 0;
}

/// Of a call without points or channels.
int clear_gradients(const Backward& call, cudaStream_t stream) {
  for (int t = kGradValue; t < kBackwardTensors; ++t) {
    const int failed = clear_tensor(call.p, call.tensors[t], call.bytes(t), stream);
    if (failed != 0) return failed;
  }
  return 0;
}

int backward(const Backward& call, const int64_t* shapes, const int64_t* starts, State& state,
             cudaStream_t stream) {
  const msda_problem& p = call.p;
  if (p.batch * p.queries * p.heads * p.channels * row_points(p) == 0)
    return clear_gradients(call, stream);
  Tuned* tuned = call.kernel();
  if (tuned == nullptr) return general_backward(call, shapes, starts, state.workspace, stream);
  if (tuned->plan.levels == msda::kStoredLevels && shapes == nullptr) return kSizes;
  if (call.workspace() != 0 && state.workspace == nullptr) return kState;
  void* tensors[kBackwardTensors];
  std::copy_n(call.tensors, int{kBackwardTensors}, tensors);
  auto* unasked = static_cast<unsigned char*>(state.workspace) + workspace_bytes(*tuned, p);
  for (int t = kGradValue; t < kBackwardTensors; ++t) {
    if (call.is_asked(t)) continue;
    tensors[t] = unasked;
    unasked += aligned(call.bytes(t));
  }
  return run_tuned(*tuned, p, shapes, tensors, state, kGradValue, call.bytes(kGradValue), stream);
}

/// Those of a call with the signature msda-c-2; the sizes in the memory of the device beside them.
template <int tensor_count>
struct Named {
  void* tensors[tensor_count] = {};
  const int64_t* shapes = nullptr;
  const int64_t* starts = nullptr;

  Named(const msda_tensor* given, int32_t count, const char* const (&names)[tensor_count]) {
    for (const msda_tensor* one = given; one != given + count; ++one) {
      for (int t = 0; t < tensor_count; ++t) {
        if (std::strcmp(one->name, names[t]) == 0) tensors[t] = one->data;
      }
      if (std::strcmp(one->name, "spatial_shapes") == 0)
        shapes = static_cast<const int64_t*>(one->data);
      if (std::strcmp(one->name, "level_start_index") == 0)
        starts = static_cast<const int64_t*>(one->data);
    }
  }
};

}  // namespace

MSDA_ENTRY int @NAME@_backward(const msda_tensor* tensors, int32_t count,
                               const msda_problem* problem, void* state, void* stream) {
  State none;
  State& given = state != nullptr ? *static_cast<State*>(state) : none;
  const Named named(tensors, count, kBackwardNames);
  return backward({*problem, named.tensors}, named.shapes, named.starts, given,
                  static_cast<cudaStream_t>(stream));
}

MSDA_ENTRY int @NAME@_backward_query(const msda_problem* problem, msda_answer* answer) {
  answer->abi = MSDA_EXTERNAL_ABI;
  answer->refusal =
      refusal_of(*problem, choose(backward_kernels, *problem, has_option(*problem, kRepeatable)));
  return 0;
}

MSDA_ENTRY int @NAME@_backward_prepare(const msda_tensor* tensors, int32_t count,
                                       const msda_problem* problem, void** state, void*) {
  return make_state(Backward{*problem, Named(tensors, count, kBackwardNames).tensors}.workspace(), *problem,
                    state);
}

MSDA_ENTRY void @NAME@_backward_release(void* state) { release_state(state); }

MSDA_ENTRY const char* @NAME@_backward_error(int code) { return @NAME@_error(code); }

MSDA_ENTRY const char* @NAME@_backward_form(void* const* tensors, const msda_problem* problem) {
  return form_of(Backward{*problem, tensors}.kernel());
}

MSDA_ENTRY int64_t @NAME@_backward_workspace(void* const* tensors, const msda_problem* problem) {
  return static_cast<int64_t>(Backward{*problem, tensors}.workspace());
}

MSDA_ENTRY int @NAME@_backward_with(void* const* tensors, const int64_t* shapes,
                                    const int64_t* starts, const msda_problem* problem,
                                    void* workspace, void* stream) {
  State state;
  state.workspace = workspace;
  return backward({*problem, tensors}, shapes, starts, state, static_cast<cudaStream_t>(stream));
}
