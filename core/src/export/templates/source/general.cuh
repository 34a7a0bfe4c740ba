// --- The general forward kernel -----------------------------------------------------------------
// Sums go over the points in their order on every path, so that a row's bits depend on nothing but
// its own inputs.
//
// A warp for some rows of one plane, which are neighbouring queries of some
// neighbouring heads of an image. A row's lanes have neighbouring channels. Each lane makes one tap
// of its row at a time, and all of them read what that row's lanes have made.

namespace msda::general {
namespace {

constexpr int kWarp = 32;
constexpr int kWarps = 2;  ///< of a block
constexpr unsigned kAllLanes = 0xFFFFFFFFU;
constexpr int64_t kPlaneBytes = 64;  ///< of a pixel that heads of one plane have at least together
constexpr int64_t kSectorBytes = 32;  ///< of a query's weights, the same

/// Numbers of pixels, rows and bytes of an image: 32 bits for lanes with several channels, whose
/// calls are no larger, and 64 for others.
template <int kChannels>
using IntOf = std::conditional_t<kChannels == 1, int64_t, int>;

/// How rows lie in planes and lanes; powers of two have their logarithms.
struct Shape {
  int lane_bits;        ///< lanes of a row
  int head_bits;        ///< heads of a plane
  int64_t rows;         ///< of a plane
  int64_t planes;       ///< of all images
  int64_t pixel_bytes;  ///< of all heads
  int64_t level_step;   ///< whole levels that as many taps have as a row has lanes,
  int64_t point_step;   ///< and points beside
};

/// Zeros for points outside of their level: an address to read as any other, so that the loads of
/// several points are under way at a time.
__device__ uint4 zeros[kWarp];

/// Where a tap reads, as it lies in shared memory.
template <class Int>
struct alignas(16) Place {
  uint64_t first;    ///< address of the top left pixel at the row's first channel
  Int right, below;  ///< bytes from there to the pixels aside and below
};

/// The taps that the lanes of a warp have made.
template <class Int>
struct Stored {
  float4 weight[kWarp];
  Place<Int> place[kWarp];
};

/// The levels as a block keeps them, each of which lies in value or has no pixels.
template <class Int>
struct BlockLevels {
  LevelOf<Int> level[kMostLevels];
};

/// Called by all threads of a block. True where a level does not lie in value.
template <class Int>
__device__ bool read_levels(const Call& call, BlockLevels<Int>& levels) {
  bool misplaced = false;
  const auto number = static_cast<int>(threadIdx.x);
  if (number < call.level_count) {
    const Level level = call.level(number);
    misplaced = !level.lies_in(call.border, call.pixels);
    levels.level[number] = {};
    if (!misplaced)
      levels.level[number] = {static_cast<Int>(level.height), static_cast<Int>(level.width),
                              static_cast<Int>(level.start)};
  }
  return __syncthreads_or(misplaced) != 0;
}

/// Where a lane is in the points of its row.
template <class Int>
struct Walk {
  Int tap, level, point;

  __device__ Walk(const Call& call, Int lane)
      : tap(lane),
        level(call.points != 0 ? lane / static_cast<Int>(call.points)
                               : static_cast<Int>(call.level_of(lane))),
        point(lane - static_cast<Int>(call.first_tap(level))) {}
  __device__ void advance(const Call& call, const Shape& shape) {
    tap += Int{1} << shape.lane_bits;
    if (call.points == 0) {
      level = static_cast<Int>(call.level_of(tap));
      return;
    }
    level += static_cast<Int>(shape.level_step);
    point += static_cast<Int>(shape.point_step);
    if (point < static_cast<Int>(call.points)) return;
    point -= static_cast<Int>(call.points);
    ++level;
  }
};

/// What a tap is made of, loaded before it is needed.
struct Sample {
  float u, v, weight;
};

/// Of a row's tap; `kPaired`: both coordinates at a time.
template <bool kPaired, class Location, class Weight>
__device__ Sample load_sample(const Location* locations, const Weight* weights, int64_t tap) {
  const Location* location = locations + 2 * tap;
  if constexpr (kPaired) {
    const auto pair = *reinterpret_cast<const Pixel<Location, 2>*>(location);
    return {to_float(pair.channel[0]), to_float(pair.channel[1]), to_float(weights[tap])};
  } else {
    return {to_float(location[0]), to_float(location[1]), to_float(weights[tap])};
  }
}

/// Adds what a tap reads to a lane's sums; `offset` is the address's distance from the row's first
/// channel to the lane's.
template <int kChannels, class Value, class Int>
__device__ void add_tap(const float4& weight, const Place<Int>& place, Int offset, float* sums) {
  using Vector = Pixel<Value, kChannels>;
  const char* top = reinterpret_cast<const char*>(place.first) + offset;
  const char* below = top + place.below;
  const Vector corner[4] = {*reinterpret_cast<const Vector*>(top),
                            *reinterpret_cast<const Vector*>(top + place.right),
                            *reinterpret_cast<const Vector*>(below),
                            *reinterpret_cast<const Vector*>(below + place.right)};
  const float factor[4] = {weight.x, weight.y, weight.z, weight.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int c = 0; c < kChannels; ++c)
      sums[c] = fmaf(factor[i], to_float(corner[i].channel[c]), sums[c]);
  }
}

/// A row and the lane's part of it.
template <class Int>
struct Lane {
  int64_t row;      ///< of the output, which locations and weights are in the order of
  Int channel;      ///< the lane's first; call.channels or more: none
  uint64_t values;  ///< address of the image's values at the row's head and first channel
  int first;        ///< tap of the row's first lane in shared memory
};

/// Adds all points of the row to the sums of the lane's channels. All lanes of a warp call it
/// together; `at` is the lane's first tap.
template <int kChannels, class Value, class Location, class Weight, class Int>
__device__ void sum_row(const Call& call, const Shape& shape, const BlockLevels<Int>& levels,
                        const Lane<Int>& lane, Walk<Int> at, Stored<Int>& stored, float* sums) {
  constexpr int kInFlight = 4;  // taps
  constexpr bool kPaired = kChannels != 1;
  const int lanes = 1 << shape.lane_bits;
  const int self = static_cast<int>(threadIdx.x) % kWarp;
  const auto taps = static_cast<Int>(call.taps());
  const auto pixel_bytes = static_cast<Int>(shape.pixel_bytes);
  const Int offset = lane.channel * static_cast<Int>(sizeof(Value));
  // The same in the zeros, which are for as many channels as the lanes have at a time.
  const int64_t zero_offset = (self - lane.first) * static_cast<int64_t>(kChannels * sizeof(Value));
  const auto* locations = static_cast<const Location*>(call.locations) + 2 * lane.row * taps;
  const auto* weights = static_cast<const Weight*>(call.weights) + lane.row * taps;
  Sample sample = {};
  if (at.tap < taps) sample = load_sample<kPaired>(locations, weights, at.tap);
  for (Int done = 0; done < taps; done += lanes) {
    const LevelOf<Int> level = at.tap < taps ? levels.level[at.level] : LevelOf<Int>{};
    const TapOf<Int> tap = tap_of(cell_in(level, sample.u, sample.v), level,
                                  static_cast<Int>(call.border), sample.weight);
    __syncwarp();
    stored.weight[self] = {tap.weight[0], tap.weight[1], tap.weight[2], tap.weight[3]};
    stored.place[self] =
        tap.reads ? Place<Int>{lane.values + static_cast<uint64_t>(tap.pixel * pixel_bytes),
                               tap.right ? pixel_bytes : 0,
                               tap.below ? tap.pitch * pixel_bytes : 0}
                  : Place<Int>{reinterpret_cast<uint64_t>(zeros) + zero_offset - offset, 0, 0};
    __syncwarp();
    at.advance(call, shape);
    if (at.tap < taps) sample = load_sample<kPaired>(locations, weights, at.tap);
    const int count = static_cast<int>(taps - done < lanes ? taps - done : lanes);
    if (lane.channel >= call.channels) continue;
#pragma unroll kInFlight
    for (int t = lane.first; t < lane.first + count; ++t)
      add_tap<kChannels, Value>(stored.weight[t], stored.place[t], offset, sums);
  }
}

template <int kChannels, class Value, class Int>
__device__ void store_row(const Call& call, const Lane<Int>& lane, const float* sums) {
  Pixel<Value, kChannels> result;
  for (int c = 0; c < kChannels; ++c) store(&result.channel[c], sums[c]);
  Value* row = static_cast<Value*>(call.output) + lane.row * call.channels;
  *reinterpret_cast<Pixel<Value, kChannels>*>(row + lane.channel) = result;
}

/// A plane of an image: some neighbouring heads.
struct Plane {
  int64_t image, head;
};

/// Row number `index` of a plane; all of the lane's channels. `misplaced`: a level does not lie in
/// value.
template <int kChannels, class Value, class Location, class Weight, class Int>
__device__ void compute_row(const Call& call, const Shape& shape, const BlockLevels<Int>& levels,
                            bool misplaced, const Plane& plane, Int index, const Walk<Int>& walk,
                            Stored<Int>& stored) {
  const int self = static_cast<int>(threadIdx.x) % kWarp;
  const int lanes = 1 << shape.lane_bits;
  const int first = self & -lanes;
  // Lanes behind the last row compute that one again, and store nothing.
  const auto rows = static_cast<Int>(shape.rows);
  const Int row = index < rows ? index : rows - 1;
  const int64_t head = plane.head + (row & ((Int{1} << shape.head_bits) - 1));
  const Int query = row >> shape.head_bits;
  const Value* values = static_cast<const Value*>(call.value) +
                        (plane.image * call.pixels * call.heads + head) * call.channels;
  const auto channels = static_cast<Int>(call.channels);
  for (Int block = 0; block < channels; block += lanes * kChannels) {
    const Lane<Int> lane = {(plane.image * call.queries + query) * call.heads + head,
                            block + (self - first) * kChannels, reinterpret_cast<uint64_t>(values),
                            first};
    float sums[kChannels] = {};
    sum_row<kChannels, Value, Location, Weight>(call, shape, levels, lane, walk, stored, sums);
    // A call with such sizes cannot be refused from here: its rows are no numbers.
    if (misplaced && call.taps() != 0) {
      for (float& sum : sums) sum = NAN;
    }
    if (index < rows && lane.channel < channels) store_row<kChannels, Value>(call, lane, sums);
  }
}

template <int kChannels, class Value, class Location, class Weight>
__global__ void __launch_bounds__(kWarp* kWarps)
    kernel(const __grid_constant__ Call call, const __grid_constant__ Shape shape) {
  using Int = IntOf<kChannels>;
  __shared__ Stored<Int> stored[kWarps];
  __shared__ BlockLevels<Int> levels;
  const bool misplaced = read_levels(call, levels);
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int rows = kWarp >> shape.lane_bits;
  const Int step = static_cast<Int>(gridDim.x) * kWarps * rows;
  const Walk<Int> walk(call, lane & ((1 << shape.lane_bits) - 1));
  const auto planes_of_image = static_cast<Int>(call.heads >> shape.head_bits);
  for (auto number = static_cast<Int>(blockIdx.y); number < static_cast<Int>(shape.planes);
       number += static_cast<Int>(gridDim.y)) {
    const Int image = number / planes_of_image;
    const Plane plane = {image, (number - image * planes_of_image) << shape.head_bits};
    Int row = (static_cast<Int>(blockIdx.x) * kWarps + warp) * rows;
    for (; row < static_cast<Int>(shape.rows); row += step) {
      compute_row<kChannels, Value, Location, Weight>(call, shape, levels, misplaced, plane,
                                                      row + (lane >> shape.lane_bits), walk,
                                                      stored[warp]);
    }
  }
}

/// How a launch cuts the call for lanes with kChannels channels each.
template <int kChannels, class Value, class Weight>
Shape shape_of(const Call& call) {
  Shape shape{};
  while (shape.lane_bits < 5 && (int64_t{kChannels} << shape.lane_bits) < call.channels)
    ++shape.lane_bits;
  const auto head_bytes = call.channels * static_cast<int64_t>(sizeof(Value));
  const auto weight_bytes = call.taps() * static_cast<int64_t>(sizeof(Weight));
  while ((call.heads >> shape.head_bits) % 2 == 0 &&
         (head_bytes << shape.head_bits < kPlaneBytes ||
          weight_bytes << shape.head_bits < kSectorBytes))
    ++shape.head_bits;
  shape.rows = call.queries << shape.head_bits;
  shape.planes = call.batch * (call.heads >> shape.head_bits);
  shape.pixel_bytes = call.heads * head_bytes;
  if (call.points != 0) {
    shape.level_step = (int64_t{1} << shape.lane_bits) / call.points;
    shape.point_step = (int64_t{1} << shape.lane_bits) % call.points;
  }
  return shape;
}

/// Warps that the launch has work for.
int64_t warps_of(const Shape& shape) {
  const int64_t rows = kWarp >> shape.lane_bits;
  return (shape.rows + rows - 1) / rows * shape.planes;
}

template <int kChannels, class Value, class Location, class Weight>
cudaError_t launch(const Call& call, const Shape& shape, cudaStream_t stream) {
  const int64_t rows = kWarps * (kWarp >> shape.lane_bits);
  constexpr int64_t kMostX = INT32_MAX;
  constexpr int64_t kMostY = 65535;
  const dim3 grid(static_cast<unsigned>(std::min((shape.rows + rows - 1) / rows, kMostX)),
                  static_cast<unsigned>(std::min(shape.planes, kMostY)));
  kernel<kChannels, Value, Location, Weight><<<grid, kWarp * kWarps, 0, stream>>>(call, shape);
  return cudaGetLastError();
}

bool is_aligned(const void* pointer, size_t bytes) {
  return reinterpret_cast<uintptr_t>(pointer) % bytes == 0;
}

/// Whether 32 bits hold all numbers of a launch: of rows, planes, taps, and bytes of an image.
bool is_small(const Call& call, const Shape& shape) {
  constexpr int64_t kMost = INT32_MAX / 2;
  const auto fits = [](int64_t a, int64_t b) { return b == 0 || a <= kMost / b; };
  return fits(call.pixels + 1, shape.pixel_bytes) && fits(shape.rows, 1) && fits(shape.planes, 1) &&
         fits(call.taps(), 1);
}

/// Wide loads where there are rows enough, since they cost the fewest instructions; else narrow
/// ones of more lanes, of which more are under way at a time. Tensors that are not aligned to words
/// and calls that are not small have lanes of one channel.
template <class Value, class Location, class Weight>
cudaError_t run_on_device(const Call& call, int multiprocessors, cudaStream_t stream) {
  constexpr int kWide = 16 / sizeof(Value);
  constexpr int kNarrow = 4 / sizeof(Value) > 1 ? 4 / sizeof(Value) : 2;
  constexpr int64_t kBusyWarps = 12;  // of a multiprocessor
  const auto fits = [&](int channels, const Shape& shape) {
    const size_t bytes = channels * sizeof(Value);
    return call.channels % channels == 0 && is_aligned(call.value, bytes) &&
           is_aligned(call.output, bytes) && is_aligned(call.locations, 2 * sizeof(Location)) &&
           is_small(call, shape);
  };
  const Shape wide = shape_of<kWide, Value, Weight>(call);
  if (fits(kWide, wide) && warps_of(wide) >= kBusyWarps * multiprocessors)
    return launch<kWide, Value, Location, Weight>(call, wide, stream);
  const Shape narrow = shape_of<kNarrow, Value, Weight>(call);
  if (fits(kNarrow, narrow)) return launch<kNarrow, Value, Location, Weight>(call, narrow, stream);
  return launch<1, Value, Location, Weight>(call, shape_of<1, Value, Weight>(call), stream);
}

}  // namespace
}  // namespace msda::general
