// --- The C entries ------------------------------------------------------------------------------

namespace {

/// What @NAME@_prepare allocates: the workspace of the kernel that the problem gets.
struct State {
  void* workspace = nullptr;
  int64_t batch = -1;  ///< of the problem whose launches the workspace remembers
  int64_t queries = -1;
};

/// Which kind of kernel a problem gets.
const char* form_of(const Tuned* tuned) { return tuned != nullptr ? "fixed" : "general"; }

/// The kernel for the problem: of those that fit the one for the nearest number of queries. Null
/// where the general one has to do it.
Tuned* choose(const msda_problem& p) {
  if (p.device != MSDA_CUDA) return nullptr;
  Tuned* best = nullptr;
  double least = 0;
  for (Tuned& tuned : tuned_kernels) {
    if (!fits(tuned.shape, p) || !runs_here(tuned)) continue;
    const double distance = std::abs(std::log(static_cast<double>(p.batch * p.queries + 1) /
                                              static_cast<double>(tuned.queries + 1)));
    if (best == nullptr || distance < least) {
      best = &tuned;
      least = distance;
    }
  }
  return best;
}

bool in_table(int32_t value, int32_t location, int32_t weight, int32_t output) {
  const auto may = [&](int32_t type) { return type == value || type == MSDA_FP32; };
  return value >= MSDA_FP32 && value <= MSDA_BF16 && output == value && may(location) &&
         may(weight);
}

template <class Value, class Location, class Weight>
int run_general(const msda::general::Call& call, bool on_cpu, cudaStream_t stream) {
  if (!on_cpu) {
    return msda::general::run_on_device<Value, Location, Weight>(
        call, attribute(cudaDevAttrMultiProcessorCount), stream);
  }
  msda::general::run_on_cpu<Value, Location, Weight>(call);
  return 0;
}

template <class Value>
int run_general_of(const msda_problem& p, const msda::general::Call& call, cudaStream_t stream) {
  const bool on_cpu = p.device == MSDA_CPU;
  const bool locations = p.location_type == p.value_type;
  const bool weights = p.weight_type == p.value_type;
  if (locations && weights) return run_general<Value, Value, Value>(call, on_cpu, stream);
  if (locations) return run_general<Value, Value, float>(call, on_cpu, stream);
  if (weights) return run_general<Value, float, Value>(call, on_cpu, stream);
  return run_general<Value, float, float>(call, on_cpu, stream);
}

int general(const msda_problem& p, const int64_t* shapes, const int64_t* starts, const void* value,
            const void* locations, const void* weights, void* output, cudaStream_t stream) {
  if (!in_table(p.value_type, p.location_type, p.weight_type, p.output_type)) return kTypes;
  if (p.levels > msda::general::kMostLevels) return kLevels;
  msda::general::Call call = {
      value,   locations,      weights, output,     p.batch,
      p.spatial_size, p.heads, p.channels, p.levels, p.queries, p.points,
      p.layout == MSDA_ZERO_BORDER ? 1 : 0, {}};
  if (p.shapes == nullptr) {
    call.levels.shapes = shapes;
    call.levels.starts = starts;
  } else {
    for (int64_t l = 0; l < p.levels; ++l)
      call.levels.given[l] = {p.shapes[2 * l], p.shapes[2 * l + 1], p.starts[l]};
  }
  switch (p.value_type) {
    case MSDA_FP32: return run_general_of<float>(p, call, stream);
    case MSDA_FP16: return run_general_of<__half>(p, call, stream);
    default: return run_general_of<__nv_bfloat16>(p, call, stream);
  }
}

int forward(const void* value, const int64_t* shapes, const int64_t* starts, const void* locations,
            const void* weights, void* output, const msda_problem& p, State& state,
            cudaStream_t stream) {
  if (p.batch * p.queries * p.heads * p.channels == 0) return 0;
  Tuned* tuned = std::strcmp(p.options, "general") == 0 ? nullptr : choose(p);
  constexpr size_t kUnit = 16;  // bytes at a multiple of which composed kernels want tensors
  const auto fits = [](const void* tensor) { return msda::general::is_aligned(tensor, kUnit); };
  const bool aligned_all = fits(value) && fits(locations) && fits(weights) && fits(output);
  if (tuned == nullptr || !aligned_all)
    return general(p, shapes, starts, value, locations, weights, output, stream);
  if (workspace_bytes(*tuned, p) != 0 && state.workspace == nullptr) return kState;
  const bool remembers = state.batch == p.batch && state.queries == p.queries;
  state.batch = p.batch;
  state.queries = p.queries;
  msda::AllArguments arguments{};
  const void* const tensors[] = {value, locations, weights, output};
  std::transform(std::begin(tensors), std::end(tensors), arguments.tensor,
                 [](const void* tensor) { return const_cast<void*>(tensor); });
  arguments.batch = p.batch;
  arguments.queries = p.queries;
  const msda::runtime::Clears clears =
      add_workspaces(*tuned, state.workspace, remembers, arguments);
@ADD_MAPS@@ADD_TEXTURES@  return launch(*tuned, clears, arguments, stream);
}

}  // namespace

#define MSDA_ENTRY extern "C" __attribute__((visibility("default")))

MSDA_ENTRY int @NAME@(const void* value, const int64_t* shapes, const int64_t* starts,
                      const void* locations, const void* weights, void* output,
                      const msda_problem* problem, void* state, void* stream) {
  State none;
  State& given = state != nullptr ? *static_cast<State*>(state) : none;
  return forward(value, shapes, starts, locations, weights, output, *problem, given,
                 static_cast<cudaStream_t>(stream));
}

MSDA_ENTRY int @NAME@_query(const msda_problem* problem, msda_answer* answer) {
  answer->abi = MSDA_EXTERNAL_ABI;
  const msda_problem& p = *problem;
  if (!in_table(p.value_type, p.location_type, p.weight_type, p.output_type)) {
    answer->refusal =
        "it takes one type for value and output, and for locations and weights that type or fp32";
  } else if (p.levels > msda::general::kMostLevels) {
    answer->refusal = "it takes at most 16 levels";
  } else if (std::strcmp(p.options, "tuned") == 0 && choose(p) == nullptr) {
    answer->refusal = "no kernel of its table is for this problem on this device";
  }
  return 0;
}

MSDA_ENTRY int @NAME@_prepare(const void*, const int64_t*, const int64_t*, const void*,
                              const void*, void*, const msda_problem* problem, void** state,
                              void*) {
  const Tuned* tuned = choose(*problem);
  if (*state != nullptr || tuned == nullptr) return 0;
  const size_t bytes = workspace_bytes(*tuned, *problem);
  if (bytes == 0) return 0;
  auto made = std::make_unique<State>();
  cudaError_t error = cudaMalloc(&made->workspace, bytes);
  if (error == cudaSuccess) error = cudaMemset(made->workspace, 0, bytes);
  if (error == cudaSuccess) error = cudaStreamSynchronize(nullptr);  // other streams do not wait
  if (error != cudaSuccess) return error;
  made->batch = problem->batch;
  made->queries = problem->queries;
  *state = made.release();
  return 0;
}

MSDA_ENTRY void @NAME@_release(void* state) {
  const std::unique_ptr<State> made(static_cast<State*>(state));
  if (made == nullptr) return;
  cudaFree(made->workspace);
}

MSDA_ENTRY const char* @NAME@_error(int code) {
  switch (code) {
    case kTypes: return "no kernel for these types";
    case kLevels: return "more than 16 levels";
    case kState: return "the kernel for this problem needs the state that the prepare entry makes";
    case kGrid: return "the grid would have more blocks than a launch can";
    case kEncoder: return "the driver does not encode a tensor map (it has to be of CUDA 12.0)";
    default: return cudaGetErrorString(static_cast<cudaError_t>(code));
  }
}

MSDA_ENTRY const char* @NAME@_choice(const msda_problem* problem) {
  const Tuned* tuned = choose(*problem);
  return tuned != nullptr ? tuned->name : "general";
}

MSDA_ENTRY const char* @NAME@_form(const msda_problem* problem) {
  return form_of(choose(*problem));
}

MSDA_ENTRY int64_t @NAME@_workspace(const msda_problem* problem) {
  const Tuned* tuned = choose(*problem);
  return tuned != nullptr ? static_cast<int64_t>(workspace_bytes(*tuned, *problem)) : 0;
}

MSDA_ENTRY int @NAME@_with(const void* value, const int64_t* shapes, const int64_t* starts,
                           const void* locations, const void* weights, void* output,
                           const msda_problem* problem, void* workspace, void* stream) {
  State state;
  state.workspace = workspace;
  return forward(value, shapes, starts, locations, weights, output, *problem, state,
                 static_cast<cudaStream_t>(stream));
}

#endif  // of what nvcc compiles for the host
