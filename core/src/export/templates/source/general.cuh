// --- The general kernel -------------------------------------------------------------------------
// For sizes that no kernel above was composed for, and for the CPU. One thread for each 16 bytes of
// the output, or for each element where heads are no multiple of that; elements are counted in 64
// bits, and coordinates, weights and sums are fp32 whatever the tensors' types. Both give the same
// bits.

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

/// a * b + c; on the CPU without a call of the library for each.
__host__ __device__ float multiply_add(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
  return fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

/// Neighbouring channels of one pixel.
template <class Value, int kChannels>
struct alignas(kChannels * sizeof(Value)) Pixel {
  Value channel[kChannels];
};

/// One level of one image, at one head and some neighbouring channels.
template <class Value, int kChannels>
struct Plane {
  const Value* first;
  int64_t height, width;  ///< without a border
  int64_t row, column;    ///< elements between neighbours

  /// Adds `factor` times the pixel, which is zero outside.
  __host__ __device__ void add(int64_t y, int64_t x, float factor, float* sums) const {
    if (y < 0 || x < 0 || y >= height || x >= width) return;
    const auto pixel =
        *reinterpret_cast<const Pixel<Value, kChannels>*>(first + y * row + x * column);
    for (int c = 0; c < kChannels; ++c)
      sums[c] = multiply_add(factor, to_float(pixel.channel[c]), sums[c]);
  }
  /// Adds `weight` times the sample at a location in the image; zero for what is no number, too.
  __host__ __device__ void sample(float u, float v, float weight, float* sums) const {
    const auto w = static_cast<float>(width);
    const auto h = static_cast<float>(height);
    const float x = fmaf(u, w, -0.5F);
    const float y = fmaf(v, h, -0.5F);
    if (!(x > -1.0F && y > -1.0F && x < w && y < h)) return;
    const float top = floorf(y);
    const float left = floorf(x);
    // Once more from the location: what x has lost of its digits is a part of a fraction.
    const float fy = fmaf(v, h, -0.5F - top);
    const float fx = fmaf(u, w, -0.5F - left);
    const auto t = static_cast<int64_t>(top);
    const auto l = static_cast<int64_t>(left);
    add(t, l, weight * ((1.0F - fy) * (1.0F - fx)), sums);
    add(t, l + 1, weight * ((1.0F - fy) * fx), sums);
    add(t + 1, l, weight * (fy * (1.0F - fx)), sums);
    add(t + 1, l + 1, weight * (fy * fx), sums);
  }
};

/// Vector `index` of the output: kChannels elements.
template <int kChannels, class Value, class Location, class Weight, class Levels>
__host__ __device__ void compute(const Call<Levels>& call, int64_t index) {
  const int64_t vectors = call.channels / kChannels;
  const int64_t row = index / vectors;
  const int64_t channel = index % vectors * kChannels;
  const int64_t head = row % call.heads;
  const int64_t image = row / call.heads / call.queries;
  const int64_t pixel = call.heads * call.channels;
  const Value* values = static_cast<const Value*>(call.value) + image * call.pixels * pixel +
                        head * call.channels + channel;
  const int64_t point = row * call.level_count * call.points;
  const Location* location = static_cast<const Location*>(call.locations) + 2 * point;
  const Weight* weight = static_cast<const Weight*>(call.weights) + point;
  float sums[kChannels] = {};
  for (int64_t level = 0; level < call.level_count; ++level) {
    const int64_t height = call.levels.shapes[2 * level];
    const int64_t width = call.levels.shapes[2 * level + 1];
    const int64_t stored = width + 2 * call.border;
    const int64_t first = call.levels.starts[level] + call.border * (stored + 1);
    const Plane<Value, kChannels> plane = {values + first * pixel, height, width, stored * pixel,
                                           pixel};
    for (int64_t p = 0; p < call.points; ++p, ++weight, location += 2) {
      plane.sample(to_float(location[0]), to_float(location[1]), to_float(*weight), sums);
    }
  }
  Pixel<Value, kChannels> result;
  for (int c = 0; c < kChannels; ++c) store(&result.channel[c], sums[c]);
  reinterpret_cast<Pixel<Value, kChannels>*>(call.output)[index] = result;
}

template <int kChannels, class Value, class Location, class Weight, class Levels>
__global__ void kernel(const __grid_constant__ Call<Levels> call, int64_t vectors) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  int64_t index = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; index < vectors; index += step) compute<kChannels, Value, Location, Weight>(call, index);
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

template <int kChannels, class Value, class Location, class Weight, class Levels>
void run_on_cpu(const Call<Levels>& call, int64_t vectors) {
  in_shares(vectors, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) compute<kChannels, Value, Location, Weight>(call, i);
  });
}

}  // namespace
}  // namespace msda::general
