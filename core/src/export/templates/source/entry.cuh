// --- The C entries ------------------------------------------------------------------------------

namespace {

/// What the prepare entries allocate: the workspace of the kernel that the problem gets.
struct State {
  void* workspace = nullptr;
  int64_t batch = -1;  ///< of the problem whose launches the workspace remembers
  int64_t queries = -1;

  /// Whether the workspace is as a launch of this problem left it; from now on it will be.
  bool remembers(const msda_problem& p) {
    const bool same = batch == p.batch && queries == p.queries;
    batch = p.batch;
    queries = p.queries;
    return same;
  }
};

int make_state(size_t bytes, const msda_problem& p, void** state) {
  if (*state != nullptr || bytes == 0) return 0;
  auto made = std::make_unique<State>();
  cudaError_t error = cudaMalloc(&made->workspace, bytes);
  if (error == cudaSuccess) error = cudaMemset(made->workspace, 0, bytes);
  if (error == cudaSuccess) error = cudaStreamSynchronize(nullptr);  // other streams do not wait
  if (error != cudaSuccess) return error;
  made->batch = p.batch;
  made->queries = p.queries;
  *state = made.release();
  return 0;
}

void release_state(void* state) {
  const std::unique_ptr<State> made(static_cast<State*>(state));
  if (made != nullptr) cudaFree(made->workspace);
}

bool in_table(int32_t value, int32_t location, int32_t weight, int32_t output) {
  const auto may = [&](int32_t type) { return type == value || type == MSDA_FP32; };
  return value >= MSDA_FP32 && value <= MSDA_BF16 && output == value && may(location) &&
         may(weight);
}

/// Why no kernel takes the problem, or none of the kind that its options name; null where one does.
const char* refusal_of(const msda_problem& p, const Tuned* tuned) {
  if (!in_table(p.value_type, p.location_type, p.weight_type, p.output_type))
    return "it takes one type for value and output, and for locations and weights that type or "
           "fp32";
  if (p.levels > msda::general::kMostLevels) return "it takes at most 16 levels";
  const bool names_form = std::any_of(std::begin(kForms), std::end(kForms),
                                      [&](const char* form) { return has_option(p, form); });
  if ((names_form || has_option(p, "tuned")) && tuned == nullptr)
    return "no such kernel of its table is for this problem on this device";
  return nullptr;
}

/// A call of a general kernel with these inputs; 0, or an error code.
int general_call(const msda_problem& p, const int64_t* shapes, const int64_t* starts,
                 void* const* inputs, msda::general::Call& call) {
  if (!in_table(p.value_type, p.location_type, p.weight_type, p.output_type)) return kTypes;
  if (p.levels > msda::general::kMostLevels) return kLevels;
  call.value = inputs[0];
  call.locations = inputs[1];
  call.weights = inputs[2];
  call.batch = p.batch;
  call.pixels = p.spatial_size;
  call.heads = p.heads;
  call.channels = p.channels;
  call.level_count = p.levels;
  call.queries = p.queries;
  call.points = p.points;
  for (int64_t l = 0; l < p.levels; ++l) {
    call.first[l + 1] = call.first[l] + points_of(p, l);
    if (points_of(p, l) != p.points) call.points = 0;
  }
  call.border = p.layout == MSDA_ZERO_BORDER ? 1 : 0;
  if (p.shapes == nullptr) {
    if (shapes == nullptr) return kSizes;
    call.levels.shapes = shapes;
    call.levels.starts = starts;
    return 0;
  }
  for (int64_t l = 0; l < p.levels; ++l)
    call.levels.given[l] = {p.shapes[2 * l], p.shapes[2 * l + 1], p.starts[l]};
  return 0;
}

/// Calls each.operator()<Value>() for the problem's type, which is in_table().
template <class Each>
int with_value(const msda_problem& p, const Each& each) {
  switch (p.value_type) {
    case MSDA_FP32: return each.template operator()<float>();
    case MSDA_FP16: return each.template operator()<__half>();
    default: return each.template operator()<__nv_bfloat16>();
  }
}

/// The same with those of locations and weights: each.operator()<Value, Location, Weight>().
template <class Each>
int with_types(const msda_problem& p, const Each& each) {
  return with_value(p, [&]<class Value>() {
    const bool locations = p.location_type == p.value_type;
    const bool weights = p.weight_type == p.value_type;
    if (locations && weights) return each.template operator()<Value, Value, Value>();
    if (locations) return each.template operator()<Value, Value, float>();
    if (weights) return each.template operator()<Value, float, Value>();
    return each.template operator()<Value, float, float>();
  });
}

int general(const msda_problem& p, const int64_t* shapes, const int64_t* starts,
            void* const* tensors, cudaStream_t stream) {
  msda::general::Call call{};
  call.output = tensors[3];
  const int failed = general_call(p, shapes, starts, tensors, call);
  if (failed != 0) return failed;
  return with_types(p, [&]<class Value, class Location, class Weight>() -> int {
    if (p.device == MSDA_CUDA)
      return msda::general::run_on_device<Value, Location, Weight>(
          call, attribute(cudaDevAttrMultiProcessorCount), stream);
    msda::general::run_on_cpu<Value, Location, Weight>(call);
    return 0;
  });
}

/// Tensors in the order of the operator; number `accumulated` of them is an output to which kernels
/// may add, none where it is negative.
int run_tuned(Tuned& tuned, const msda_problem& p, const int64_t* shapes, void* const* tensors,
              State& state, int accumulated, size_t accumulated_bytes, cudaStream_t stream) {
  if (workspace_bytes(tuned, p) != 0 && state.workspace == nullptr) return kState;
  msda::AllArguments arguments{};
  std::copy_n(tensors, tuned.plan.tensors, arguments.tensor);
  arguments.batch = p.batch;
  arguments.queries = p.queries;
  const msda::LaunchPlan plan = add_sizes(tuned, p, shapes, arguments);
  msda::runtime::Clears clears =
      add_workspaces(tuned, state.workspace, state.remembers(p), arguments);
  if (accumulated >= 0) clears.add_accumulated(plan, accumulated, accumulated_bytes);
@ADD_TEXTURES@@ADD_MAPS@  return launch(tuned, plan, clears, arguments, stream);
}

int forward(void* const* tensors, const int64_t* shapes, const int64_t* starts,
            const msda_problem& p, State& state, cudaStream_t stream) {
  if (p.batch * p.queries * p.heads * p.channels == 0) return 0;
  Tuned* tuned = choose(forward_kernels, p);
  if (tuned != nullptr && tuned->plan.levels == msda::kStoredLevels && shapes == nullptr)
    return kSizes;
  if (tuned == nullptr || !are_aligned(tensors, 4))
    return general(p, shapes, starts, tensors, stream);
  return run_tuned(*tuned, p, shapes, tensors, state, -1, 0, stream);
}

}  // namespace

#define MSDA_ENTRY extern "C" __attribute__((visibility("default")))

MSDA_ENTRY int @NAME@(const void* value, const int64_t* shapes, const int64_t* starts,
                      const void* locations, const void* weights, void* output,
                      const msda_problem* problem, void* state, void* stream) {
  State none;
  State& given = state != nullptr ? *static_cast<State*>(state) : none;
  void* const tensors[] = {const_cast<void*>(value), const_cast<void*>(locations),
                           const_cast<void*>(weights), output};
  return forward(tensors, shapes, starts, *problem, given, static_cast<cudaStream_t>(stream));
}

MSDA_ENTRY int @NAME@_query(const msda_problem* problem, msda_answer* answer) {
  answer->abi = MSDA_EXTERNAL_ABI;
  answer->refusal = refusal_of(*problem, choose(forward_kernels, *problem));
  return 0;
}

MSDA_ENTRY int @NAME@_prepare(const void*, const int64_t*, const int64_t*, const void*,
                              const void*, void*, const msda_problem* problem, void** state,
                              void*) {
  return make_state(static_cast<size_t>(@NAME@_workspace(problem)), *problem, state);
}

MSDA_ENTRY void @NAME@_release(void* state) { release_state(state); }

MSDA_ENTRY const char* @NAME@_error(int code) {
  switch (code) {
    case kTypes: return "no kernel for these types";
    case kLevels: return "more than 16 levels";
    case kState: return "the kernel for this problem needs the state that the prepare entry makes";
    case kGrid: return "the grid would have more blocks than a launch can";
    case kEncoder: return "the driver does not encode a tensor map (it has to be of CUDA 12.0)";
    case kSizes: return "the sizes of the levels are neither on the host nor on the device";
    case kReferenceKind:
      return "reference points of the general kernel are fp32 and have 2 or 4 coordinates";
    case kManyParts: return "at most 128 points of a row have parts of boxes of their own";
    case kMask: return "a call has a padding mask where its problem is padded, and else none";
    case kOrder:
      return "no kernel for these sizes and types sums the gradient of value in the same order "
             "each time";
    default: return cudaGetErrorString(static_cast<cudaError_t>(code));
  }
}

MSDA_ENTRY const char* @NAME@_choice(const msda_problem* problem) {
  const Tuned* tuned = choose(forward_kernels, *problem);
  return tuned != nullptr ? tuned->name : "general";
}

MSDA_ENTRY const char* @NAME@_form(const msda_problem* problem) {
  return form_of(choose(forward_kernels, *problem));
}

MSDA_ENTRY int64_t @NAME@_workspace(const msda_problem* problem) {
  const Tuned* tuned = choose(forward_kernels, *problem);
  return tuned != nullptr ? static_cast<int64_t>(workspace_bytes(*tuned, *problem)) : 0;
}

MSDA_ENTRY int @NAME@_with(const void* value, const int64_t* shapes, const int64_t* starts,
                           const void* locations, const void* weights, void* output,
                           const msda_problem* problem, void* workspace, void* stream) {
  State state;
  state.workspace = workspace;
  return @NAME@(value, shapes, starts, locations, weights, output, problem, &state, stream);
}
