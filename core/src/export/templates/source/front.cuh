// --- Points of offsets --------------------------------------------------------------------------
// The operator `fused` where no kernel of its table is for a call: one kernel makes locations and
// weights of offsets, logits and reference points, and a kernel of `forward` or `backward` reads
// them; of the gradients of points other kernels make those of what they were made of. Coordinates
// and the softmax are fp32.
//
// The lanes of a row are neighbours, each with some of the row's taps.

namespace msda::general {
namespace {

/// Points of a row that may have parts of boxes of their own: they are an argument of kernels.
constexpr int64_t kMostParts = 128;

/// What points are made of.
struct Front {
  const float* references;  ///< [B, Q, R, K]
  const void* offsets;      ///< [B, Q, H, L, P, 2]
  const void* logits;       ///< [B, Q, H, L, P]
  int64_t coordinates;      ///< K: 2, or 4 with width and height of a box
  int64_t anchors;          ///< R, point p takes number p % R; 0: a reference for each level
  /// fp32, of whatever type value is; `wide_weights` are those that are made, and their gradients.
  bool wide_offsets, wide_logits, wide_weights;
  bool has_parts;
  float parts[kMostParts];  ///< of a box, by tap of a row, that an offset of 1 is

  __host__ __device__ int64_t count(const Call& call) const {
    return anchors == 0 ? call.level_count : anchors;
  }
  /// The number of a tap's reference among those of its query.
  __host__ __device__ int64_t number(const Call& call, int64_t tap) const {
    const int64_t level = call.level_of(tap);
    return anchors == 0 ? level : (tap - call.first_tap(level)) % anchors;
  }
  __host__ __device__ const float* reference(const Call& call, int64_t row, int64_t tap) const {
    return references + (row / call.heads * count(call) + number(call, tap)) * coordinates;
  }
};

/// Gradients of points, and of what they were made of; null: not asked for.
struct FrontGradients {
  const float* locations;
  const void* weights;
  void* offsets;
  void* logits;
  float* references;
};

/// Along x and along y.
struct Pair {
  float x, y;
};

/// Of the level of a tap.
__host__ __device__ float points_beside(const Call& call, int64_t tap) {
  const int64_t level = call.level_of(tap);
  return static_cast<float>(call.first_tap(level + 1) - call.first_tap(level));
}

/// The part of a box that an offset of 1 is.
__host__ __device__ float part_of_box(const Call& call, const Front& front, int64_t tap) {
  return front.has_parts ? front.parts[tap] : 0.5F / points_beside(call, tap);
}

/// What a tap moves by where its offset is 1.
__host__ __device__ Pair unit_of(const Call& call, const Front& front, int64_t row, int64_t tap) {
  if (front.coordinates == 4) {
    const float* box = front.reference(call, row, tap) + 2;
    const float part = part_of_box(call, front, tap);
    return {box[0] * part, box[1] * part};
  }
  const Level level = call.level(call.level_of(tap));
  return {1.0F / static_cast<float>(level.width), 1.0F / static_cast<float>(level.height)};
}

template <class Value>
__host__ __device__ Pair offset_of(const Call& call, const Front& front, int64_t row,
                                   int64_t tap) {
  const int64_t index = 2 * (row * call.taps() + tap);
  return {load_as<Value>(front.offsets, front.wide_offsets, index),
          load_as<Value>(front.offsets, front.wide_offsets, index + 1)};
}

/// Rounded after each operation, where compilers would make one of two.
__host__ __device__ float product_of(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}
__host__ __device__ float sum_of(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fadd_rn(a, b);
#else
  return a + b;
#endif
}

/// To the bit where a model in fp32 puts the point: where derivatives jump, at the centres of
/// pixels, points of one side would have the gradients of the other.
template <class Value>
__host__ __device__ Pair place_of(const Call& call, const Front& front, int64_t row, int64_t tap) {
  const float* reference = front.reference(call, row, tap);
  const Pair offset = offset_of<Value>(call, front, row, tap);
  Pair moved;
  if (front.coordinates == 4 && front.has_parts) {
    const float part = front.parts[tap];
    moved = {product_of(product_of(offset.x, part), reference[2]),
             product_of(product_of(offset.y, part), reference[3])};
  } else if (front.coordinates == 4) {
    const float points = points_beside(call, tap);
    moved = {product_of(product_of(offset.x / points, reference[2]), 0.5F),
             product_of(product_of(offset.y / points, reference[3]), 0.5F)};
  } else {
    const Level level = call.level(call.level_of(tap));
    moved = {offset.x / static_cast<float>(level.width),
             offset.y / static_cast<float>(level.height)};
  }
  return {sum_of(reference[0], moved.x), sum_of(reference[1], moved.y)};
}

template <class Value>
__host__ __device__ float logit_of(const Call& call, const Front& front, int64_t row,
                                   int64_t tap) {
  return load_as<Value>(front.logits, front.wide_logits, row * call.taps() + tap);
}

/// A row of minus infinity has weights that are no numbers, as PyTorch's softmax has it.
struct Softmax {
  float most;   ///< the row's largest logit
  float share;  ///< one over the sum of powers

  __host__ __device__ float weight(float logit) const { return expf(logit - most) * share; }
};

/// Stores the gradients of a tap's offset and logit; `sum` is that of the row's weights times their
/// gradients.
template <class Value>
__host__ __device__ void store_tap(const Call& call, const Front& front,
                                   const FrontGradients& gradients, const Softmax& softmax,
                                   float sum, int64_t row, int64_t tap) {
  const int64_t index = row * call.taps() + tap;
  if (gradients.offsets != nullptr) {
    const Pair unit = unit_of(call, front, row, tap);
    const float* of_place = gradients.locations + 2 * index;
    store_as<Value>(gradients.offsets, front.wide_offsets, 2 * index, of_place[0] * unit.x);
    store_as<Value>(gradients.offsets, front.wide_offsets, 2 * index + 1, of_place[1] * unit.y);
  }
  if (gradients.logits == nullptr) return;
  const float weight = softmax.weight(logit_of<Value>(call, front, row, tap));
  const float of_weight = load_as<Value>(gradients.weights, front.wide_weights, index);
  store_as<Value>(gradients.logits, front.wide_logits, index, weight * (of_weight - sum));
}

/// The gradient of coordinate `k` of a query's reference number `number`: a sum over heads and taps.
template <class Value>
__host__ __device__ float reference_gradient(const Call& call, const Front& front,
                                             const FrontGradients& gradients, int64_t query,
                                             int64_t number, int64_t k) {
  float sum = 0.0F;
  for (int64_t row = query * call.heads; row < (query + 1) * call.heads; ++row) {
    for (int64_t tap = 0; tap < call.taps(); ++tap) {
      if (front.number(call, tap) != number) continue;
      const float of_place = gradients.locations[2 * (row * call.taps() + tap) + k % 2];
      const Pair offset = offset_of<Value>(call, front, row, tap);
      sum += k < 2 ? of_place
                   : of_place * (k == 2 ? offset.x : offset.y) * part_of_box(call, front, tap);
    }
  }
  return sum;
}

/// Over the lanes of each row, in all of them; all lanes of a warp call it together.
__device__ float sum_of_lanes(float x, int lanes) {
  for (int other = lanes / 2; other > 0; other /= 2) x += __shfl_xor_sync(kAllLanes, x, other);
  return x;
}
__device__ float most_of_lanes(float x, int lanes) {
  for (int other = lanes / 2; other > 0; other /= 2)
    x = fmaxf(x, __shfl_xor_sync(kAllLanes, x, other));
  return x;
}

template <class Value>
__device__ Softmax softmax_of(const Call& call, const Front& front, int64_t row, int lane,
                              int lanes) {
  Softmax softmax = {-INFINITY, 1.0F};
  for (int64_t tap = lane; tap < call.taps(); tap += lanes)
    softmax.most = fmaxf(softmax.most, logit_of<Value>(call, front, row, tap));
  softmax.most = most_of_lanes(softmax.most, lanes);
  float sum = 0.0F;
  for (int64_t tap = lane; tap < call.taps(); tap += lanes)
    sum += softmax.weight(logit_of<Value>(call, front, row, tap));
  softmax.share = 1.0F / sum_of_lanes(sum, lanes);
  return softmax;
}

/// Calls each(row, lane, lanes, whether the row exists) with all lanes of a warp together; those
/// without a row have the last one again.
template <class Each>
__device__ void for_each_row(const Call& call, int lane_bits, const Each& each) {
  const int lanes = 1 << lane_bits;
  const int64_t thread = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x >> lane_bits;
  const int64_t of_warp = thread % kWarp >> lane_bits;
  for (int64_t first = (thread >> lane_bits) - of_warp; first < call.rows(); first += step) {
    const int64_t row = first + of_warp;
    each(row < call.rows() ? row : call.rows() - 1, static_cast<int>(threadIdx.x) & (lanes - 1),
         lanes, row < call.rows());
  }
}

template <class Value>
__global__ void front_kernel(const __grid_constant__ Call call, const __grid_constant__ Front front,
                             int lane_bits, float2* locations, void* weights) {
  for_each_row(call, lane_bits, [&](int64_t row, int lane, int lanes, bool exists) {
    const Softmax softmax = softmax_of<Value>(call, front, row, lane, lanes);
    for (int64_t tap = lane; exists && tap < call.taps(); tap += lanes) {
      const Pair place = place_of<Value>(call, front, row, tap);
      locations[row * call.taps() + tap] = {place.x, place.y};
      store_as<Value>(weights, front.wide_weights, row * call.taps() + tap,
                      softmax.weight(logit_of<Value>(call, front, row, tap)));
    }
  });
}

template <class Value>
__global__ void front_backward_kernel(const __grid_constant__ Call call,
                                      const __grid_constant__ Front front,
                                      const __grid_constant__ FrontGradients gradients,
                                      int lane_bits) {
  for_each_row(call, lane_bits, [&](int64_t row, int lane, int lanes, bool exists) {
    const Softmax softmax = softmax_of<Value>(call, front, row, lane, lanes);
    float sum = 0.0F;
    for (int64_t tap = lane; tap < call.taps(); tap += lanes)
      sum += softmax.weight(logit_of<Value>(call, front, row, tap)) *
             load_as<Value>(gradients.weights, front.wide_weights, row * call.taps() + tap);
    sum = sum_of_lanes(sum, lanes);
    for (int64_t tap = lane; exists && tap < call.taps(); tap += lanes)
      store_tap<Value>(call, front, gradients, softmax, sum, row, tap);
  });
}

/// A thread for each coordinate, so that sums have one order.
template <class Value>
__global__ void reference_kernel(const __grid_constant__ Call call,
                                 const __grid_constant__ Front front,
                                 const __grid_constant__ FrontGradients gradients) {
  const int64_t of_query = front.count(call) * front.coordinates;
  const int64_t count = call.batch * call.queries * of_query;
  int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; i < count; i += static_cast<int64_t>(gridDim.x) * blockDim.x)
    gradients.references[i] =
        reference_gradient<Value>(call, front, gradients, i / of_query,
                                  i % of_query / front.coordinates, i % front.coordinates);
}

int lane_bits_of(const Call& call) {
  int bits = 0;
  while (bits < 5 && (int64_t{1} << bits) < call.taps()) ++bits;
  return bits;
}

template <class Value>
cudaError_t make_points_on_device(const Call& call, const Front& front, float* locations,
                                  void* weights, cudaStream_t stream) {
  const int bits = lane_bits_of(call);
  front_kernel<Value><<<backward_blocks(call.rows() << bits), kBackwardThreads, 0, stream>>>(
      call, front, bits, reinterpret_cast<float2*>(locations), weights);
  return cudaGetLastError();
}

template <class Value>
cudaError_t run_front_backward_on_device(const Call& call, const Front& front,
                                         const FrontGradients& gradients, cudaStream_t stream) {
  const int bits = lane_bits_of(call);
  if (gradients.offsets != nullptr || gradients.logits != nullptr)
    front_backward_kernel<Value>
        <<<backward_blocks(call.rows() << bits), kBackwardThreads, 0, stream>>>(call, front,
                                                                                gradients, bits);
  if (gradients.references != nullptr)
    reference_kernel<Value>
        <<<backward_blocks(call.batch * call.queries * front.count(call) * front.coordinates),
           kBackwardThreads, 0, stream>>>(call, front, gradients);
  return cudaGetLastError();
}

}  // namespace
}  // namespace msda::general
