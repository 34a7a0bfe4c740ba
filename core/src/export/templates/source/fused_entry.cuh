
// --- The C entries of fused ---------------------------------------------------------------------
// In place of locations and weights a call has offsets, logits and reference points. Where no kernel
// of the table is for it, its points are made first, in the workspace: locations in fp32, weights in
// value's type where a kernel of the tables of `forward` or `backward` takes these, else in fp32.
// With a padding mask that no kernel reads it is a call without one, of a copy of value.

namespace {

/// In the order of the operator's list.
enum FusedTensor : int {
  kOffsets = 1,
  kLogits,
  kReferences,
  kFusedOutput,
  kFusedTensors,
  kFusedMask = kFusedTensors  ///< of padded problems
};
constexpr const char* kFusedNames[] = {"value",  "offsets",     "logits", "reference_points",
                                       "output", "padding_mask"};
/// Of its gradients: the four inputs, the gradient of the output, and the gradients of the inputs.
enum FusedGradient : int {
  kGradOfOutput = 4,
  kGradOfValue,
  kGradOfOffsets,
  kGradOfLogits,
  kGradOfReferences,
  kFusedGradients,
  kGradientsMask = kFusedGradients  ///< of padded problems
};

int64_t pixel_bytes(const msda_problem& p) {
  return p.heads * p.channels * (p.value_type == MSDA_FP32 ? 4 : 2);
}
size_t value_bytes(const msda_problem& p) {
  return aligned(static_cast<size_t>(p.batch * p.spatial_size * pixel_bytes(p)));
}
/// From value, or from a gradient of it, to a tensor that may be the same.
int mask_values(const msda_problem& p, const void* from, const void* mask, void* to,
                cudaStream_t stream) {
  return msda::general::mask_pixels(from, to, mask, pixel_bytes(p), p.batch * p.spatial_size,
                                    p.device == MSDA_CUDA, stream);
}
/// `mask`: its place among the tensors, which is there in padded problems alone. A mask of no pixels
/// may have no memory.
bool lacks_mask(const msda_problem& p, void* const* mask) {
  return is_padded(p) && *mask == nullptr && p.batch * p.spatial_size != 0;
}
msda_problem unpadded(const msda_problem& p) {
  msda_problem bare = p;
  bare.padded = 0;
  return bare;
}

/// The problem whose points are those that a call makes.
msda_problem points_problem(const msda_problem& p, int32_t weight_type) {
  msda_problem points = p;
  points.location_type = MSDA_FP32;
  points.weight_type = weight_type;
  return points;
}

/// A call whose points are made in memory, for a kernel of the table or the general one.
class MadePoints {
 public:
  template <size_t count>
  MadePoints(const msda_problem& p, void* const* tensors, Tuned (&table)[count], bool repeats)
      : p_(p), tensors_(tensors), points_(points_problem(p, p.value_type)) {
    if (choose(table, points_, repeats) == nullptr) points_.weight_type = MSDA_FP32;
  }

  /// The problem of the kernel that reads them.
  const msda_problem& problem() const { return points_; }
  size_t location_bytes() const { return aligned(2 * count() * sizeof(float)); }
  size_t weight_bytes() const {
    return aligned(count() * (points_.weight_type == MSDA_FP32 ? 4 : 2));
  }
  size_t bytes() const { return location_bytes() + weight_bytes(); }

  /// 0, or why there is no such call.
  int refusal() const {
    if (!in_table(p_.value_type, p_.location_type, p_.weight_type, p_.output_type)) return kTypes;
    const bool known = p_.reference_coordinates == 2 || p_.reference_coordinates == 4;
    if (!known || p_.reference_type != MSDA_FP32 || p_.reference_anchors < 0) return kReferenceKind;
    return has_parts() && row_points(p_) > msda::general::kMostParts ? kManyParts : 0;
  }

  msda::general::Front front() const {
    msda::general::Front front = {static_cast<const float*>(tensors_[kReferences]),
                                  tensors_[kOffsets],
                                  tensors_[kLogits],
                                  p_.reference_coordinates,
                                  p_.reference_anchors,
                                  p_.location_type == MSDA_FP32,
                                  p_.weight_type == MSDA_FP32,
                                  points_.weight_type == MSDA_FP32,
                                  has_parts(),
                                  {}};
    if (front.has_parts) std::copy_n(box_parts(p_), row_points(p_), front.parts);
    return front;
  }

  /// Into bytes() of memory.
  int make(const int64_t* shapes, const int64_t* starts, unsigned char* memory,
           cudaStream_t stream) const {
    msda::general::Call call{};
    const int failed = general_call(points_, shapes, starts, tensors_, call);
    if (failed != 0) return failed;
    auto* locations = reinterpret_cast<float*>(memory);
    void* weights = memory + location_bytes();
    return with_value(p_, [&]<class Value>() -> int {
      if (p_.device == MSDA_CUDA)
        return msda::general::make_points_on_device<Value>(call, front(), locations, weights,
                                                           stream);
      msda::general::make_points_on_cpu<Value>(call, front(), locations, weights);
      return 0;
    });
  }

  /// Gradients of what points were made of, of those of points.
  int differentiate(const int64_t* shapes, const int64_t* starts, const float* of_locations,
                    const void* of_weights, cudaStream_t stream) const {
    msda::general::Call call{};
    const int failed = general_call(points_, shapes, starts, tensors_, call);
    if (failed != 0) return failed;
    const msda::general::FrontGradients gradients = {
        of_locations, of_weights, tensors_[kGradOfOffsets], tensors_[kGradOfLogits],
        static_cast<float*>(tensors_[kGradOfReferences])};
    return with_value(p_, [&]<class Value>() -> int {
      if (p_.device == MSDA_CUDA)
        return msda::general::run_front_backward_on_device<Value>(call, front(), gradients, stream);
      msda::general::run_front_backward_on_cpu<Value>(call, front(), gradients);
      return 0;
    });
  }

 private:
  size_t count() const {
    return static_cast<size_t>(p_.batch * p_.queries * p_.heads * row_points(p_));
  }
  /// Whether points move by other parts of boxes than half of one over the points of the level.
  bool has_parts() const {
    if (p_.reference_coordinates != 4 || box_parts(p_) == nullptr) return false;
    return !all_box_parts(unscaled(), [&](int64_t point, float usual) {
      return box_parts(p_)[point] == usual;
    });
  }
  msda_problem unscaled() const {
    msda_problem usual = p_;
    usual.box_parts = nullptr;
    return usual;
  }

  const msda_problem& p_;
  void* const* tensors_;
  msda_problem points_;
};

/// A workspace on the CPU is the call's own; on a GPU it is the caller's.
class Memory {
 public:
  Memory(const msda_problem& p, void* given, size_t bytes)
      : own_(p.device == MSDA_CPU ? bytes : 0),
        first_(p.device == MSDA_CPU ? own_.data() : static_cast<unsigned char*>(given)) {}
  unsigned char* first() const { return first_; }

 private:
  std::vector<unsigned char> own_;
  unsigned char* first_;
};

struct Fused {
  const msda_problem& p;
  void* const* tensors;

  /// Null where points are made in memory, or masked values.
  Tuned* kernel() const {
    return are_aligned(tensors, kFusedTensors) ? choose(fused_kernels, p) : nullptr;
  }
  MadePoints points() const { return {p, tensors, forward_kernels, false}; }
  const char* form() const {
    if (!is_padded(p) || kernel() != nullptr) return form_of(kernel());
    const msda_problem bare = unpadded(p);
    return Fused{bare, tensors}.form();
  }
  size_t workspace() const {
    if (p.device != MSDA_CUDA) return 0;
    const Tuned* tuned = kernel();
    if (tuned != nullptr) return workspace_bytes(*tuned, p);
    if (is_padded(p)) {
      const msda_problem bare = unpadded(p);
      return value_bytes(p) + Fused{bare, tensors}.workspace();
    }
    const MadePoints points = this->points();
    const Tuned* reader = choose(forward_kernels, points.problem());
    return points.bytes() + (reader != nullptr ? workspace_bytes(*reader, points.problem()) : 0);
  }
};

int fused(const Fused& call, const int64_t* shapes, const int64_t* starts, State& state,
          cudaStream_t stream);

/// Of a copy of value, whose masked pixels are zero.
int fused_of_masked(const Fused& call, const int64_t* shapes, const int64_t* starts, State& state,
                    cudaStream_t stream) {
  const msda_problem& p = call.p;
  const Memory memory(p, state.workspace, value_bytes(p));
  if (memory.first() == nullptr && value_bytes(p) != 0) return kState;
  const int failed =
      mask_values(p, call.tensors[kValue], call.tensors[kFusedMask], memory.first(), stream);
  if (failed != 0) return failed;
  void* tensors[kFusedTensors];
  std::copy_n(call.tensors, int{kFusedTensors}, tensors);
  tensors[kValue] = memory.first();
  State rest;
  rest.workspace = memory.first() + value_bytes(p);
  const msda_problem bare = unpadded(p);
  return fused({bare, tensors}, shapes, starts, rest, stream);
}

int fused(const Fused& call, const int64_t* shapes, const int64_t* starts, State& state,
          cudaStream_t stream) {
  const msda_problem& p = call.p;
  if (lacks_mask(p, call.tensors + kFusedMask)) return kMask;
  if (p.batch * p.queries * p.heads * p.channels == 0) return 0;
  Tuned* tuned = call.kernel();
  if (tuned != nullptr) {
    if (tuned->plan.levels == msda::kStoredLevels && shapes == nullptr) return kSizes;
    return run_tuned(*tuned, p, shapes, call.tensors, state, -1, 0, stream);
  }
  if (is_padded(p)) return fused_of_masked(call, shapes, starts, state, stream);
  const MadePoints points = call.points();
  if (const int refusal = points.refusal(); refusal != 0) return refusal;
  const Memory memory(p, state.workspace, points.bytes());
  if (memory.first() == nullptr && points.bytes() != 0) return kState;
  const int failed = points.make(shapes, starts, memory.first(), stream);
  if (failed != 0) return failed;
  void* const tensors[] = {call.tensors[kValue], memory.first(),
                           memory.first() + points.location_bytes(), call.tensors[kFusedOutput]};
  State rest;
  rest.workspace = memory.first() + points.bytes();
  return forward(tensors, shapes, starts, points.problem(), rest, stream);
}

}  // namespace

MSDA_ENTRY int @NAME@_fused(const msda_tensor* tensors, int32_t count, const msda_problem* problem,
                            void* state, void* stream) {
  State none;
  State& given = state != nullptr ? *static_cast<State*>(state) : none;
  const Named named(tensors, count, kFusedNames);
  if (named.tensors[kFusedMask] != nullptr && !is_padded(*problem)) return kMask;
  return fused({*problem, named.tensors}, named.shapes, named.starts, given,
               static_cast<cudaStream_t>(stream));
}

MSDA_ENTRY int @NAME@_fused_query(const msda_problem* problem, msda_answer* answer) {
  answer->abi = MSDA_EXTERNAL_ABI;
  const msda_problem bare = unpadded(*problem);
  const Tuned* tuned = choose(fused_kernels, *problem);
  if (tuned == nullptr) tuned = choose(fused_kernels, bare);
  answer->refusal = refusal_of(*problem, tuned);
  const int failed = Fused{*problem, nullptr}.points().refusal();
  if (answer->refusal == nullptr && tuned == nullptr && failed != 0)
    answer->refusal = @NAME@_error(failed);
  return 0;
}

MSDA_ENTRY int @NAME@_fused_prepare(const msda_tensor* tensors, int32_t count,
                                    const msda_problem* problem, void** state, void*) {
  return make_state(Fused{*problem, Named(tensors, count, kFusedNames).tensors}.workspace(),
                    *problem, state);
}

MSDA_ENTRY void @NAME@_fused_release(void* state) { release_state(state); }

MSDA_ENTRY const char* @NAME@_fused_error(int code) { return @NAME@_error(code); }

MSDA_ENTRY const char* @NAME@_fused_form(void* const* tensors, const msda_problem* problem) {
  return Fused{*problem, tensors}.form();
}

MSDA_ENTRY int @NAME@_fused_reads_mask(void* const* tensors, const msda_problem* problem) {
  return is_padded(*problem) && Fused{*problem, tensors}.kernel() != nullptr ? 1 : 0;
}

MSDA_ENTRY int64_t @NAME@_fused_workspace(void* const* tensors, const msda_problem* problem) {
  return static_cast<int64_t>(Fused{*problem, tensors}.workspace());
}

MSDA_ENTRY int @NAME@_fused_with(void* const* tensors, const int64_t* shapes,
                                 const int64_t* starts, const msda_problem* problem,
                                 void* workspace, void* stream) {
  State state;
  state.workspace = workspace;
  return fused({*problem, tensors}, shapes, starts, state, static_cast<cudaStream_t>(stream));
}
