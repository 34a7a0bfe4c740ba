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

/// How rows lie in planes and lanes; powers of two have their logarithms.
struct Shape {
  int lane_bits;        ///< lanes of a row
  int head_bits;        ///< heads of a plane
  int64_t rows;         ///< of a plane
  int64_t planes;       ///< of all images
  int64_t pixel_bytes;  ///< of all heads
};

/// Zeros for points outside of their level: an address to read as any other, so that the loads of
/// several points are under way at a time.
__device__ uint4 zeros[kWarp];

constexpr uint64_t kRight = 1ULL << 63;  ///< beside an address; devices have addresses of fewer bits

/// Where a tap reads, as it lies in shared memory.
struct alignas(16) Place {
  uint64_t first;  ///< address of the top left pixel at the row's first channel; perhaps kRight
  int64_t below;   ///< bytes from a pixel above to the one below
};

/// The taps that the lanes of a warp have made.
struct Stored {
  float4 weight[kWarp];
  Place place[kWarp];
};

/// Where a lane is in the points of its row.
struct Walk {
  int64_t tap, level, point;

  __device__ void advance(int64_t by, const Call& call) {
    tap += by;
    point += by;
    if (call.points == 0) {
      level = call.level_of(tap);
    } else if (point >= call.points) {
      level += point / call.points;
      point %= call.points;
    }
  }
};

/// What a tap is made of, loaded before it is needed.
struct Sample {
  Level level;
  float u, v, weight;
};

template <class Location, class Weight>
__device__ Sample load_sample(const Call& call, int64_t row, const Walk& at) {
  if (at.tap >= call.taps()) return {};
  const int64_t index = row * call.taps() + at.tap;
  const Location* location = static_cast<const Location*>(call.locations) + 2 * index;
  return {call.level(at.level), to_float(location[0]), to_float(location[1]),
          to_float(static_cast<const Weight*>(call.weights)[index])};
}

/// Adds what a tap reads to a lane's sums; `channel` is the address's distance from the row's first
/// channel to the lane's, `right` that to the next pixel.
template <int kChannels, class Value>
__device__ void add_tap(const float4& weight, const Place& place, int64_t channel, int64_t right,
                        float* sums) {
  using Vector = Pixel<Value, kChannels>;
  const char* top = reinterpret_cast<const char*>(place.first & ~kRight) + channel;
  const char* below = top + place.below;
  const int64_t aside = (place.first & kRight) != 0 ? right : 0;
  const Vector corner[4] = {*reinterpret_cast<const Vector*>(top),
                            *reinterpret_cast<const Vector*>(top + aside),
                            *reinterpret_cast<const Vector*>(below),
                            *reinterpret_cast<const Vector*>(below + aside)};
  const float factor[4] = {weight.x, weight.y, weight.z, weight.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int c = 0; c < kChannels; ++c)
      sums[c] = fmaf(factor[i], to_float(corner[i].channel[c]), sums[c]);
  }
}

/// A row and the lane's part of it.
struct Lane {
  int64_t row;      ///< of the output, which locations and weights are in the order of
  int64_t channel;  ///< the lane's first; call.channels or more: none
  uint64_t values;  ///< address of the image's values at the row's head and first channel
  int first;        ///< tap of the row's first lane in shared memory
};

/// Sums of the lane's channels over all points of its row; true where a level does not lie in
/// value. All lanes of a warp call it together.
template <int kChannels, class Value, class Location, class Weight>
__device__ bool sum_row(const Call& call, const Shape& shape, const Lane& lane, Stored& stored,
                        float* sums) {
  constexpr int kInFlight = 16 / (kChannels * sizeof(Value)) >= 4 ? 4 : 2;  // taps
  const int lanes = 1 << shape.lane_bits;
  const int self = static_cast<int>(threadIdx.x) % kWarp;
  const int64_t offset = lane.channel * static_cast<int64_t>(sizeof(Value));
  // The same in the zeros, which are for as many channels as the lanes have at a time.
  const int64_t zero_offset = (self - lane.first) * static_cast<int64_t>(kChannels * sizeof(Value));
  bool misplaced = false;
  Walk at = {0, 0, 0};
  at.advance(self - lane.first, call);
  Sample sample = load_sample<Location, Weight>(call, lane.row, at);
  for (int64_t done = 0; done < call.taps(); done += lanes) {
    const Tap tap = make_tap(sample.level, call.border, call.pixels, sample.u, sample.v,
                             sample.weight);
    misplaced = misplaced || (tap.misplaced && at.tap < call.taps());
    __syncwarp();
    stored.weight[self] = {tap.weight[0], tap.weight[1], tap.weight[2], tap.weight[3]};
    stored.place[self] =
        tap.reads ? Place{(lane.values + tap.pixel * shape.pixel_bytes) | (tap.right ? kRight : 0),
                          tap.below ? tap.pitch * shape.pixel_bytes : 0}
                  : Place{reinterpret_cast<uint64_t>(zeros) + zero_offset - offset, 0};
    __syncwarp();
    at.advance(lanes, call);
    sample = load_sample<Location, Weight>(call, lane.row, at);
    const int count = static_cast<int>(call.taps() - done < lanes ? call.taps() - done : lanes);
    if (lane.channel >= call.channels) continue;
#pragma unroll kInFlight
    for (int t = lane.first; t < lane.first + count; ++t)
      add_tap<kChannels, Value>(stored.weight[t], stored.place[t], offset, shape.pixel_bytes, sums);
  }
  return misplaced;
}

template <int kChannels, class Value>
__device__ void store_row(const Call& call, const Lane& lane, const float* sums) {
  Pixel<Value, kChannels> result;
  for (int c = 0; c < kChannels; ++c) store(&result.channel[c], sums[c]);
  Value* row = static_cast<Value*>(call.output) + lane.row * call.channels;
  *reinterpret_cast<Pixel<Value, kChannels>*>(row + lane.channel) = result;
}

/// Row number `index` of a plane; all of the lane's channels.
template <int kChannels, class Value, class Location, class Weight>
__device__ void compute_row(const Call& call, const Shape& shape, int64_t plane, int64_t index,
                            Stored& stored) {
  const int self = static_cast<int>(threadIdx.x) % kWarp;
  const int lanes = 1 << shape.lane_bits;
  const int first = self >> shape.lane_bits << shape.lane_bits;
  const unsigned of_row = (kAllLanes >> (kWarp - lanes)) << first;
  // Lanes behind the last row compute that one again, and store nothing.
  const int64_t row = index < shape.rows ? index : shape.rows - 1;
  const int64_t planes_of_image = call.heads >> shape.head_bits;
  const int64_t image = plane / planes_of_image;
  const int64_t head = (plane % planes_of_image << shape.head_bits) +
                       (row & ((int64_t{1} << shape.head_bits) - 1));
  const int64_t query = row >> shape.head_bits;
  const Value* values = static_cast<const Value*>(call.value) +
                        (image * call.pixels * call.heads + head) * call.channels;
  for (int64_t block = 0; block < call.channels; block += lanes * kChannels) {
    const Lane lane = {(image * call.queries + query) * call.heads + head,
                       block + (self - first) * kChannels, reinterpret_cast<uint64_t>(values),
                       first};
    float sums[kChannels] = {};
    const bool misplaced =
        sum_row<kChannels, Value, Location, Weight>(call, shape, lane, stored, sums);
    // A call with such sizes cannot be refused from here: its rows are no numbers.
    if ((__ballot_sync(kAllLanes, misplaced) & of_row) != 0) {
      for (float& sum : sums) sum = NAN;
    }
    if (index < shape.rows && lane.channel < call.channels)
      store_row<kChannels, Value>(call, lane, sums);
  }
}

template <int kChannels, class Value, class Location, class Weight>
__global__ void __launch_bounds__(kWarp* kWarps)
    kernel(const __grid_constant__ Call call, const __grid_constant__ Shape shape) {
  __shared__ Stored stored[kWarps];
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int rows = kWarp >> shape.lane_bits;
  const int64_t step = static_cast<int64_t>(gridDim.x) * kWarps * rows;
  for (int64_t plane = blockIdx.y; plane < shape.planes; plane += gridDim.y) {
    int64_t row = (static_cast<int64_t>(blockIdx.x) * kWarps + warp) * rows;
    for (; row < shape.rows; row += step) {
      compute_row<kChannels, Value, Location, Weight>(
          call, shape, plane, row + (lane >> shape.lane_bits), stored[warp]);
    }
  }
}

/// How a launch cuts the call for lanes with kChannels channels each.
template <int kChannels, class Value>
Shape shape_of(const Call& call) {
  Shape shape{};
  while (shape.lane_bits < 5 && (int64_t{kChannels} << shape.lane_bits) < call.channels)
    ++shape.lane_bits;
  const auto head_bytes = call.channels * static_cast<int64_t>(sizeof(Value));
  while ((call.heads >> shape.head_bits) % 2 == 0 && (head_bytes << shape.head_bits) < kPlaneBytes)
    ++shape.head_bits;
  shape.rows = call.queries << shape.head_bits;
  shape.planes = call.batch * (call.heads >> shape.head_bits);
  shape.pixel_bytes = call.heads * head_bytes;
  return shape;
}

/// Warps that the launch has work for.
int64_t warps_of(const Shape& shape) {
  const int64_t rows = kWarp >> shape.lane_bits;
  return (shape.rows + rows - 1) / rows * shape.planes;
}

template <int kChannels, class Value, class Location, class Weight>
cudaError_t launch(const Call& call, cudaStream_t stream) {
  const Shape shape = shape_of<kChannels, Value>(call);
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

/// Wide loads where there are rows enough, since they cost the fewest instructions; else narrow
/// ones of more lanes, of which more are under way at a time.
template <class Value, class Location, class Weight>
cudaError_t run_on_device(const Call& call, int multiprocessors, cudaStream_t stream) {
  constexpr int kWide = 16 / sizeof(Value);
  constexpr int kNarrow = 4 / sizeof(Value);
  constexpr int64_t kBusyWarps = 12;  // of a multiprocessor
  const auto fits = [&](int channels) {
    const size_t bytes = channels * sizeof(Value);
    return call.channels % channels == 0 && is_aligned(call.value, bytes) &&
           is_aligned(call.output, bytes);
  };
  if (fits(kWide) && warps_of(shape_of<kWide, Value>(call)) >= kBusyWarps * multiprocessors)
    return launch<kWide, Value, Location, Weight>(call, stream);
  if (fits(kNarrow)) return launch<kNarrow, Value, Location, Weight>(call, stream);
  return launch<1, Value, Location, Weight>(call, stream);
}

}  // namespace
}  // namespace msda::general
