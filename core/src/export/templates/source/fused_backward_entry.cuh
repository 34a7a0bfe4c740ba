
// --- The C entries of fused-backward ------------------------------------------------------------

namespace {

constexpr const char* kFusedGradientNames[] = {
    "value",      "offsets",      "logits",      "reference_points",     "grad_output",
    "grad_value", "grad_offsets", "grad_logits", "grad_reference_points", "padding_mask"};
/// The same in the order of the operator fused-backward, and there the first gradient.
constexpr int kFusedBackwardOrder[] = {kValue,         kOffsets,      kLogits,     kGradOfOutput,
                                       kGradOfValue,   kGradOfOffsets, kGradOfLogits, kReferences,
                                       kGradOfReferences, kGradientsMask};
constexpr int kSummed = 4;

/// Gradients by a kernel of the table; for calls that no kernel is for, locations and weights are
/// computed again and the plain gradients taken of them.
class FusedBackward {
 public:
  FusedBackward(const msda_problem& p, void* const* tensors)
      : p_(p), tensors_(tensors), points_(p, tensors, backward_kernels, repeats()) {}

  /// Null where points are made in memory, or masked values.
  Tuned* kernel() const {
    if (!are_aligned(tensors_, kFusedGradients)) return nullptr;
    constexpr int64_t kMostPadded = (int64_t{1} << 28) - 1;  // pixels; bits above are flags
    if (is_padded(p_) && p_.spatial_size > kMostPadded) return nullptr;
    return choose(fused_backward_kernels, p_, repeats());
  }

  /// Of the kernel and the gradients that nobody asks for; or of the points, of their gradients, and
  /// of the kernel that computes these.
  size_t workspace() const {
    if (p_.device != MSDA_CUDA) return 0;
    if (const Tuned* tuned = kernel(); tuned != nullptr) return tuned_bytes(*tuned);
    // Where tensors lie in the workspace is not known yet, but that they are aligned is.
    Tensors tensors;
    read(reinterpret_cast<unsigned char*>(kAlignment), tensors);
    return own_bytes() + Backward{points_.problem(), tensors.all}.workspace();
  }

  int run(const int64_t* shapes, const int64_t* starts, State& state, cudaStream_t stream) const {
    if (p_.batch * p_.queries * p_.heads * p_.channels * row_points(p_) == 0)
      return clear(stream);
    if (Tuned* tuned = kernel(); tuned != nullptr) return run_kernel(*tuned, shapes, state, stream);
    if (const int refusal = points_.refusal(); refusal != 0) return refusal;
    const Memory memory(p_, state.workspace, own_bytes());
    if (memory.first() == nullptr) return kState;
    Tensors tensors;
    read(memory.first(), tensors);
    int failed = points_.make(shapes, starts, memory.first(), stream);
    State rest;
    rest.workspace = memory.first() + own_bytes();
    if (failed == 0)
      failed = backward({points_.problem(), tensors.all}, shapes, starts, rest, stream);
    if (failed != 0 || !of_points()) return failed;
    return points_.differentiate(shapes, starts,
                                 static_cast<const float*>(tensors.all[kGradLocations]),
                                 tensors.all[kGradWeights], stream);
  }

 private:
  struct Tensors {
    void* all[kBackwardTensors];
  };

  size_t tuned_bytes(const Tuned& tuned) const {
    size_t all = workspace_bytes(tuned, p_);
    for (int t = kGradOfValue; t < kFusedGradients; ++t)
      all += is_asked(t) ? 0 : aligned(gradient_bytes(t));
    return all;
  }
  int run_kernel(Tuned& tuned, const int64_t* shapes, State& state, cudaStream_t stream) const {
    if (tuned.plan.levels == msda::kStoredLevels && shapes == nullptr) return kSizes;
    if (tuned_bytes(tuned) != 0 && state.workspace == nullptr) return kState;
    auto* unasked = static_cast<unsigned char*>(state.workspace) + workspace_bytes(tuned, p_);
    const int count = is_padded(p_) ? kFusedGradients + 1 : kFusedGradients;
    void* ordered[kFusedGradients + 1];
    for (int i = 0; i < count; ++i) {
      const int tensor = kFusedBackwardOrder[i];
      ordered[i] = tensors_[tensor];
      const bool is_gradient = tensor >= kGradOfValue && tensor < kFusedGradients;
      if (!is_gradient || is_asked(tensor)) continue;
      ordered[i] = unasked;
      unasked += aligned(gradient_bytes(tensor));
    }
    return run_tuned(tuned, p_, shapes, ordered, state, kSummed, gradient_bytes(kGradOfValue),
                     stream);
  }

  bool is_asked(int tensor) const { return tensors_[tensor] != nullptr; }
  bool repeats() const { return has_option(p_, kRepeatable) && is_asked(kGradOfValue); }
  bool of_points() const {
    return is_asked(kGradOfOffsets) || is_asked(kGradOfLogits) || is_asked(kGradOfReferences);
  }
  size_t own_bytes() const { return (of_points() ? 2 : 1) * points_.bytes(); }

  /// The tensors of the operator backward: points and their gradients lie one after the other.
  void read(unsigned char* memory, Tensors& tensors) const {
    unsigned char* const gradients = of_points() ? memory + points_.bytes() : nullptr;
    void* const all[] = {tensors_[kValue],
                         memory,
                         memory + points_.location_bytes(),
                         tensors_[kGradOfOutput],
                         tensors_[kGradOfValue],
                         gradients,
                         gradients != nullptr ? gradients + points_.location_bytes() : nullptr};
    std::copy(std::begin(all), std::end(all), tensors.all);
  }

  size_t gradient_bytes(int tensor) const {
    const auto size = [](int32_t type) { return type == MSDA_FP32 ? 4 : 2; };
    const int64_t taps = p_.batch * p_.queries * p_.heads * row_points(p_);
    const int64_t references = p_.reference_anchors == 0 ? p_.levels : p_.reference_anchors;
    switch (tensor) {
      case kGradOfValue:
        return p_.batch * p_.spatial_size * p_.heads * p_.channels * size(p_.value_type);
      case kGradOfOffsets: return 2 * taps * size(p_.location_type);
      case kGradOfLogits: return taps * size(p_.weight_type);
      default:
        return p_.batch * p_.queries * references * p_.reference_coordinates *
               size(p_.reference_type);
    }
  }
  /// Of a call without points or channels.
  int clear(cudaStream_t stream) const {
    for (int t = kGradOfValue; t < kFusedGradients; ++t) {
      const int failed = clear_tensor(p_, tensors_[t], gradient_bytes(t), stream);
      if (failed != 0) return failed;
    }
    return 0;
  }

  const msda_problem& p_;
  void* const* tensors_;
  MadePoints points_;
};

/// Whether a call has its values masked in a copy, since no kernel of the table reads the mask.
bool copies_for_mask(const msda_problem& p, void* const* tensors) {
  return is_padded(p) && FusedBackward(p, tensors).kernel() == nullptr;
}

/// A padding mask is for the values: points have the gradients that they have in masked ones, and
/// masked pixels have none.
size_t fused_backward_workspace(const msda_problem& p, void* const* tensors) {
  if (!copies_for_mask(p, tensors) || p.device != MSDA_CUDA)
    return FusedBackward(p, tensors).workspace();
  const msda_problem bare = unpadded(p);
  return value_bytes(p) + FusedBackward(bare, tensors).workspace();
}

int fused_backward(const msda_problem& p, void* const* tensors, const int64_t* shapes,
                   const int64_t* starts, State& state, cudaStream_t stream) {
  if (lacks_mask(p, tensors + kGradientsMask)) return kMask;
  if (!copies_for_mask(p, tensors))
    return FusedBackward(p, tensors).run(shapes, starts, state, stream);
  const void* const mask = tensors[kGradientsMask];
  const Memory memory(p, state.workspace, value_bytes(p));
  if (memory.first() == nullptr && value_bytes(p) != 0) return kState;
  int failed = mask_values(p, tensors[kValue], mask, memory.first(), stream);
  if (failed != 0) return failed;
  void* bare_tensors[kFusedGradients];
  std::copy_n(tensors, int{kFusedGradients}, bare_tensors);
  bare_tensors[kValue] = memory.first();
  State rest;
  rest.workspace = memory.first() + value_bytes(p);
  const msda_problem bare = unpadded(p);
  failed = FusedBackward(bare, bare_tensors).run(shapes, starts, rest, stream);
  void* const gradient = tensors[kGradOfValue];
  if (failed != 0 || gradient == nullptr) return failed;
  return mask_values(p, gradient, mask, gradient, stream);
}

}  // namespace

MSDA_ENTRY int @NAME@_fused_backward(const msda_tensor* tensors, int32_t count,
                                     const msda_problem* problem, void* state, void* stream) {
  State none;
  State& given = state != nullptr ? *static_cast<State*>(state) : none;
  const Named named(tensors, count, kFusedGradientNames);
  if (named.tensors[kGradientsMask] != nullptr && !is_padded(*problem)) return kMask;
  return fused_backward(*problem, named.tensors, named.shapes, named.starts, given,
                        static_cast<cudaStream_t>(stream));
}

MSDA_ENTRY int @NAME@_fused_backward_query(const msda_problem* problem, msda_answer* answer) {
  answer->abi = MSDA_EXTERNAL_ABI;
  const bool repeats = has_option(*problem, kRepeatable);
  const msda_problem bare = unpadded(*problem);
  const Tuned* tuned = choose(fused_backward_kernels, *problem, repeats);
  if (tuned == nullptr) tuned = choose(fused_backward_kernels, bare, repeats);
  answer->refusal = refusal_of(*problem, tuned);
  const int failed = Fused{*problem, nullptr}.points().refusal();
  if (answer->refusal == nullptr && tuned == nullptr && failed != 0)
    answer->refusal = @NAME@_error(failed);
  return 0;
}

MSDA_ENTRY int @NAME@_fused_backward_prepare(const msda_tensor* tensors, int32_t count,
                                             const msda_problem* problem, void** state, void*) {
  const Named named(tensors, count, kFusedGradientNames);
  return make_state(fused_backward_workspace(*problem, named.tensors), *problem, state);
}

MSDA_ENTRY void @NAME@_fused_backward_release(void* state) { release_state(state); }

MSDA_ENTRY const char* @NAME@_fused_backward_error(int code) { return @NAME@_error(code); }

MSDA_ENTRY const char* @NAME@_fused_backward_form(void* const* tensors,
                                                  const msda_problem* problem) {
  const msda_problem bare = unpadded(*problem);
  const bool copies = copies_for_mask(*problem, tensors);
  return form_of(FusedBackward(copies ? bare : *problem, tensors).kernel());
}

MSDA_ENTRY int64_t @NAME@_fused_backward_workspace(void* const* tensors,
                                                   const msda_problem* problem) {
  return static_cast<int64_t>(fused_backward_workspace(*problem, tensors));
}

MSDA_ENTRY int @NAME@_fused_backward_with(void* const* tensors, const int64_t* shapes,
                                          const int64_t* starts, const msda_problem* problem,
                                          void* workspace, void* stream) {
  State state;
  state.workspace = workspace;
  return fused_backward(*problem, tensors, shapes, starts, state,
                        static_cast<cudaStream_t>(stream));
}

#endif  // of what nvcc compiles for the host
