// --- The general kernel -------------------------------------------------------------------------
// For sizes that no kernel above was composed for, and for the CPU. One thread for each output
// element, as in Deformable DETR's algorithm; elements are counted in 64 bits, and coordinates,
// weights and sums are fp32 whatever the tensors' types.

namespace msda::general {
namespace {

constexpr int kMostLevels = 16;

/// Sizes of the levels as arguments of the launch.
struct GivenLevels {
  int64_t shapes[2 * kMostLevels];
  int64_t starts[kMostLevels];
};
/// The same in the memory of the device, where the host does not know them.
struct StoredLevels {
  const int64_t* shapes;
  const int64_t* starts;
};

/// One call of the operator. Tensors as msda_problem has them.
template <class Levels>
struct Call {
  const void* value;
  const void* locations;
  const void* weights;
  void* output;
  Levels levels;
  int64_t batch, pixels, heads, channels, level_count, queries, points;
  int64_t border;  ///< pixels around each level: 0 or 1
};

__host__ __device__ float to_float(float x) { return x; }
__host__ __device__ float to_float(__half x) { return __half2float(x); }
__host__ __device__ float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }
__host__ __device__ void store(float* to, float x) { *to = x; }
__host__ __device__ void store(__half* to, float x) { *to = __float2half_rn(x); }
__host__ __device__ void store(__nv_bfloat16* to, float x) { *to = __float2bfloat16_rn(x); }

/// One level of one image, at one head and channel.
template <class Value>
struct Plane {
  const Value* first;
  int64_t height, width;  ///< without a border
  int64_t row, column;    ///< elements between neighbours

  /// Zero outside.
  __host__ __device__ float pixel(int64_t y, int64_t x) const {
    if (y < 0 || x < 0 || y >= height || x >= width) return 0.0F;
    return to_float(first[y * row + x * column]);
  }
  /// Zero for what is no number, too.
  __host__ __device__ float sample(float y, float x) const {
    if (!(x > -1.0F && y > -1.0F && x < static_cast<float>(width) && y < static_cast<float>(height)))
      return 0.0F;
    const float top = floorf(y);
    const float left = floorf(x);
    const float fy = y - top;
    const float fx = x - left;
    const auto t = static_cast<int64_t>(top);
    const auto l = static_cast<int64_t>(left);
    const float upper = (1.0F - fx) * pixel(t, l) + fx * pixel(t, l + 1);
    const float lower = (1.0F - fx) * pixel(t + 1, l) + fx * pixel(t + 1, l + 1);
    return (1.0F - fy) * upper + fy * lower;
  }
};

/// Element `index` of the output.
template <class Value, class Location, class Weight, class Levels>
__host__ __device__ void compute(const Call<Levels>& call, int64_t index) {
  const int64_t row = index / call.channels;
  const int64_t channel = index % call.channels;
  const int64_t head = row % call.heads;
  const int64_t image = row / call.heads / call.queries;
  const int64_t pixel = call.heads * call.channels;
  const Value* values = static_cast<const Value*>(call.value) + image * call.pixels * pixel +
                        head * call.channels + channel;
  int64_t point = row * call.level_count * call.points;
  const Location* location = static_cast<const Location*>(call.locations) + 2 * point;
  const Weight* weight = static_cast<const Weight*>(call.weights) + point;
  float sum = 0.0F;
  for (int64_t level = 0; level < call.level_count; ++level) {
    const int64_t height = call.levels.shapes[2 * level];
    const int64_t width = call.levels.shapes[2 * level + 1];
    const int64_t stored = width + 2 * call.border;
    const int64_t first = call.levels.starts[level] + call.border * (stored + 1);
    const Plane<Value> plane = {values + first * pixel, height, width, stored * pixel, pixel};
    for (int64_t p = 0; p < call.points; ++p, ++weight, location += 2) {
      const float x = fmaf(to_float(location[0]), static_cast<float>(width), -0.5F);
      const float y = fmaf(to_float(location[1]), static_cast<float>(height), -0.5F);
      sum = fmaf(to_float(*weight), plane.sample(y, x), sum);
    }
  }
  store(static_cast<Value*>(call.output) + index, sum);
}

template <class Value, class Location, class Weight, class Levels>
__global__ void kernel(const __grid_constant__ Call<Levels> call, int64_t elements) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  int64_t index = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; index < elements; index += step) compute<Value, Location, Weight>(call, index);
}

/// Has each of the CPU's threads do a share of the elements: work(first, last).
void in_shares(int64_t elements, const std::function<void(int64_t, int64_t)>& work) {
  constexpr int64_t kLeastShare = 4096;
  const int64_t most = std::max(1U, std::thread::hardware_concurrency());
  const int64_t shares = std::clamp<int64_t>(elements / kLeastShare, 1, most);
  std::vector<std::jthread> threads;
  for (int64_t share = 1; share < shares; ++share) {
    threads.emplace_back(work, elements * share / shares, elements * (share + 1) / shares);
  }
  work(0, elements / shares);
}

template <class Value, class Location, class Weight, class Levels>
void run_on_cpu(const Call<Levels>& call, int64_t elements) {
  in_shares(elements, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) compute<Value, Location, Weight>(call, i);
  });
}

}  // namespace
}  // namespace msda::general
