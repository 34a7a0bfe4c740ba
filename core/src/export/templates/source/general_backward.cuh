// --- The general backward kernel ----------------------------------------------------------------
// The gradients of a row's points from the products of the row's gradient with the pixels around
// each, and their contributions to the gradient of value, which are summed in fp32 in any order.

namespace msda::general {
namespace {

/// Outputs of a backward call beside its gradient; null: not asked for.
struct Gradients {
  const void* output;  ///< the gradient with respect to the output: [B, Q, H, C], an input
  float* value_sums;   ///< [B, S, H, C]
  void* locations;
  void* weights;
  /// Locations and weights are fp32, of whatever type value is; so are their gradients.
  bool wide_locations, wide_weights;

  __host__ __device__ bool of_points() const { return locations != nullptr || weights != nullptr; }
};

struct Corner {
  bool exists;
  int64_t pixel;  ///< of the image
  float share;    ///< bilinear weight
};

/// Number `index` of a cell, column + 2 * row.
__host__ __device__ Corner corner_of(const Cell& cell, const Level& level, int64_t border,
                                     int index) {
  const bool right = index % 2 != 0;
  const bool below = index / 2 != 0;
  const bool exists = cell.counts && (right ? cell.has_right : cell.has_left) &&
                      (below ? cell.has_bottom : cell.has_top);
  const int64_t row = cell.row + (below ? 1 : 0) + border;
  const int64_t column = cell.column + (right ? 1 : 0) + border;
  return {exists, level.start + row * (level.width + 2 * border) + column,
          (right ? cell.x : 1.0F - cell.x) * (below ? cell.y : 1.0F - cell.y)};
}

/// Of a point, or their gradients.
struct PointNumbers {
  float u, v, weight;
};

/// `dot` are the products of the row's gradient with the corners, 0 of those that do not exist.
__host__ __device__ PointNumbers point_gradient(const Cell& cell, const Level& level,
                                                float weight, const float* dot) {
  if (cell.misplaced) return {NAN, NAN, NAN};
  if (!cell.counts) return {0.0F, 0.0F, 0.0F};
  const float above = (1.0F - cell.x) * dot[0] + cell.x * dot[1];
  const float below = (1.0F - cell.x) * dot[2] + cell.x * dot[3];
  const float along_x = (1.0F - cell.y) * (dot[1] - dot[0]) + cell.y * (dot[3] - dot[2]);
  return {weight * static_cast<float>(level.width) * along_x,
          weight * static_cast<float>(level.height) * (below - above),
          (1.0F - cell.y) * above + cell.y * below};
}

/// Number `index` of an array of Value, or of fp32. (Types of points are no types of the kernel:
/// compilers would make four of it.)
template <class Value>
__host__ __device__ float load_as(const void* array, bool wide, int64_t index) {
  return wide ? static_cast<const float*>(array)[index]
              : to_float(static_cast<const Value*>(array)[index]);
}
template <class Value>
__host__ __device__ void store_as(void* array, bool wide, int64_t index, float x) {
  if (wide) {
    static_cast<float*>(array)[index] = x;
  } else {
    store(static_cast<Value*>(array) + index, x);
  }
}

template <class Value>
__host__ __device__ PointNumbers load_point(const Call& call, const Gradients& gradients,
                                            int64_t point) {
  const bool wide = gradients.wide_locations;
  return {load_as<Value>(call.locations, wide, 2 * point),
          load_as<Value>(call.locations, wide, 2 * point + 1),
          load_as<Value>(call.weights, gradients.wide_weights, point)};
}

template <class Value>
__host__ __device__ void store_point(const Gradients& gradients, int64_t point,
                                     const PointNumbers& of) {
  if (gradients.locations != nullptr) {
    store_as<Value>(gradients.locations, gradients.wide_locations, 2 * point, of.u);
    store_as<Value>(gradients.locations, gradients.wide_locations, 2 * point + 1, of.v);
  }
  if (gradients.weights != nullptr)
    store_as<Value>(gradients.weights, gradients.wide_weights, point, of.weight);
}

/// Adds to neighbouring sums: one instruction where the device has one.
template <int kChannels>
__device__ void add_to(float* sums, const float (&terms)[kChannels]) {
#pragma unroll
  for (int c = 0; c < kChannels; ++c) atomicAdd(sums + c, terms[c]);
}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
template <>
__device__ void add_to<4>(float* sums, const float (&terms)[4]) {
  atomicAdd(reinterpret_cast<float4*>(sums), make_float4(terms[0], terms[1], terms[2], terms[3]));
}
#endif

/// One lane's channels of a point: adds the products with each corner to `dot` and its
/// contributions to the sums.
template <int kChannels, class Value>
__device__ void visit_point(const Call& call, const Gradients& gradients, const Corner* corners,
                            int64_t row, int64_t channel, float weight, float* dot) {
  using Vector = Pixel<Value, kChannels>;
  const int64_t image = row / call.heads / call.queries;
  const Vector gradient = *reinterpret_cast<const Vector*>(
      static_cast<const Value*>(gradients.output) + row * call.channels + channel);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (!corners[i].exists) continue;
    const int64_t place =
        ((image * call.pixels + corners[i].pixel) * call.heads + row % call.heads) * call.channels +
        channel;
    if (gradients.of_points()) {
      const Vector value =
          *reinterpret_cast<const Vector*>(static_cast<const Value*>(call.value) + place);
#pragma unroll
      for (int c = 0; c < kChannels; ++c)
        dot[i] = fmaf(to_float(gradient.channel[c]), to_float(value.channel[c]), dot[i]);
    }
    if (gradients.value_sums != nullptr) {
      const float factor = weight * corners[i].share;
      float terms[kChannels];
#pragma unroll
      for (int c = 0; c < kChannels; ++c) terms[c] = factor * to_float(gradient.channel[c]);
      add_to(gradients.value_sums + place, terms);
    }
  }
}

/// How a launch cuts the work: an item is some neighbouring points of a row.
struct Items {
  int lane_bits;  ///< an item has 1 << lane_bits neighbouring lanes, with neighbouring channels
  int64_t taps;   ///< of an item
  int64_t parts;  ///< items of a row
  int64_t count;
};

template <int kChannels, class Value>
__global__ void backward_kernel(const __grid_constant__ Call call,
                                const __grid_constant__ Gradients gradients,
                                const __grid_constant__ Items items) {
  const int lanes = 1 << items.lane_bits;
  const int64_t thread = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x >> items.lane_bits;
  const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
  const int64_t of_warp = thread % warpSize >> items.lane_bits;
  // Lanes without an item stay for the exchanges of their warp, and have no channels.
  for (int64_t first = (thread >> items.lane_bits) - of_warp; first < items.count; first += step) {
    const int64_t item = first + of_warp;
    const int64_t row = item / items.parts;
    const int64_t first_tap = item % items.parts * items.taps;
    for (int64_t tap = first_tap; tap < first_tap + items.taps; ++tap) {
      const bool exists = item < items.count && tap < call.taps();
      const int64_t index = exists ? row * call.taps() + tap : 0;
      const PointNumbers point = load_point<Value>(call, gradients, index);
      const Level level = call.level(exists ? call.level_of(tap) : 0);
      const Cell cell = make_cell(level, call.border, call.pixels, point.u, point.v);
      Corner corners[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) corners[i] = corner_of(cell, level, call.border, i);
      float dot[4] = {};
      for (int64_t c = lane * kChannels; exists && c < call.channels; c += lanes * kChannels)
        visit_point<kChannels, Value>(call, gradients, corners, row, c, point.weight, dot);
      if (!gradients.of_points()) continue;
      for (int other = lanes / 2; other > 0; other /= 2) {
#pragma unroll
        for (float& sum : dot) sum += __shfl_xor_sync(0xFFFFFFFFU, sum, other);
      }
      if (exists && lane == 0)
        store_point<Value>(gradients, index, point_gradient(cell, level, point.weight, dot));
    }
  }
}

template <class Value>
__global__ void round_sums(const float* sums, Value* values, int64_t count) {
  int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; i < count; i += static_cast<int64_t>(gridDim.x) * blockDim.x) store(values + i, sums[i]);
}

/// Elements of value, and of its gradient.
int64_t value_count(const Call& call) {
  return call.batch * call.pixels * call.heads * call.channels;
}

constexpr int kBackwardThreads = 128;  ///< of a block

unsigned backward_blocks(int64_t threads) {
  constexpr int64_t kMost = INT32_MAX;
  return static_cast<unsigned>(
      std::clamp<int64_t>((threads + kBackwardThreads - 1) / kBackwardThreads, 1, kMost));
}

/// Whole rows where there are enough of them to keep the device busy, else levels or points.
template <int kChannels>
Items items_of(const Call& call, int multiprocessors) {
  constexpr int64_t kBusyThreads = 4096;  // of a multiprocessor
  Items items{};
  while (items.lane_bits < 5 && (int64_t{kChannels} << items.lane_bits) < call.channels)
    ++items.lane_bits;
  const int64_t of_level = std::max(call.points, int64_t{1});
  for (const int64_t taps : {call.taps(), of_level, int64_t{1}}) {
    items.taps = taps;
    items.parts = (call.taps() + taps - 1) / taps;
    items.count = call.batch * call.queries * call.heads * items.parts;
    if (items.count << items.lane_bits >= kBusyThreads * multiprocessors) break;
  }
  return items;
}

template <int kChannels, class Value>
cudaError_t launch_backward(const Call& call, const Gradients& gradients, int multiprocessors,
                            cudaStream_t stream) {
  const Items items = items_of<kChannels>(call, multiprocessors);
  backward_kernel<kChannels, Value>
      <<<backward_blocks(items.count << items.lane_bits), kBackwardThreads, 0, stream>>>(
          call, gradients, items);
  return cudaGetLastError();
}

/// `of_value` is the gradient of value, null where nobody asks for it; its sums are there already
/// where the type is fp32.
template <class Value>
cudaError_t run_backward_on_device(const Call& call, const Gradients& gradients, void* of_value,
                                   int multiprocessors, cudaStream_t stream) {
  cudaError_t error = cudaSuccess;
  if (gradients.value_sums != nullptr)
    error = cudaMemsetAsync(gradients.value_sums, 0, value_count(call) * sizeof(float), stream);
  if (error != cudaSuccess) return error;
  constexpr int kWide = 4;
  const bool wide = call.channels % kWide == 0 && is_aligned(call.value, kWide * sizeof(Value)) &&
                    is_aligned(gradients.output, kWide * sizeof(Value)) &&
                    is_aligned(gradients.value_sums, kWide * sizeof(float));
  error = wide ? launch_backward<kWide, Value>(call, gradients, multiprocessors, stream)
               : launch_backward<1, Value>(call, gradients, multiprocessors, stream);
  if (error != cudaSuccess || of_value == nullptr || of_value == gradients.value_sums) return error;
  const int64_t count = value_count(call);
  round_sums<<<backward_blocks(count), kBackwardThreads, 0, stream>>>(
      gradients.value_sums, static_cast<Value*>(of_value), count);
  return cudaGetLastError();
}

}  // namespace
}  // namespace msda::general
