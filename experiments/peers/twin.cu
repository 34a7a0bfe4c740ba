// A hand-written twin of the recipe `fastest` for the documents' problem: what a kernel engineer
// would write for these shapes alone, without skeleton, slots or composer. It does the same work in
// the same way, so that the difference of the two times is what composition costs.
//
//   one persistent block of 16 warps an SM, work in two waves of tiles of 64 queries
//   for each image of a block's share
//     levels 2 and 3 to shared memory by one bulk copy
//     for each four queries of a warp, 8 lanes each
//       metadata: a lane computes four points, packed into shared memory for the other lanes
//       gather:   4 lanes read the left pixels of a point, 4 the right ones, 16 bytes each;
//                 8 points in half2, then into sums in fp32; large and small levels alternate
//       store:    the two sides added, 8 bytes a lane
//   the next queries' locations and weights are on their way meanwhile
#include <cuda_fp16.h>

#include <cstdint>

#include "adapter.cuh"

namespace {

constexpr int kLevels = 4;
constexpr int kPoints = 8;
constexpr int kChannels = 32;
constexpr int kHeights[kLevels] = {92, 46, 23, 12};
constexpr int kWidths[kLevels] = {160, 80, 40, 20};
constexpr int kPixelBytes = kChannels * static_cast<int>(sizeof(__half));

__host__ __device__ constexpr int height_of(int level) {
  return level == 0 ? 92 : level == 1 ? 46 : level == 2 ? 23 : 12;
}
__host__ __device__ constexpr int width_of(int level) { return 160 >> level; }
/// First pixel of a level in an image.
__host__ __device__ constexpr int start_of(int level) {
  int pixels = 0;
  for (int l = 0; l < level; ++l) pixels += height_of(l) * width_of(l);
  return pixels;
}
constexpr int kImagePixels = start_of(kLevels);

constexpr int kFirstResident = 2;  ///< levels from here on lie in shared memory
constexpr int kResidentBytes = (kImagePixels - start_of(kFirstResident)) * kPixelBytes;

constexpr int kWarps = 16;
constexpr int kThreads = kWarps * 32;
constexpr int kLanes = 8;  ///< of a query
constexpr int kQueriesOfWarp = 32 / kLanes;
constexpr int kTile = 64;  ///< queries that work is divided by
constexpr int kWaves = 2;
constexpr int kPointsOfLane = kLevels * kPoints / kLanes;
static_assert(kPointsOfLane == 4, "a lane computes half of a level's points");

struct Inputs {
  const __half* value;
  const __half* locations;
  const __half* weights;
  __half* output;
  int batch;
  int queries;
};

/// A query's points as its lanes read them: the upper left pixel in the level, and for each side
/// the weights of the upper and the lower pixel. Padded so that two queries' rows begin in other
/// banks.
struct alignas(16) Taps {
  unsigned short pixel[kLevels * kPoints];
  __half2 weights[2][kLevels * kPoints + 4];
};

struct alignas(128) Shared {
  unsigned char resident[kResidentBytes];
  Taps taps[kWarps * kQueriesOfWarp];
  unsigned long long arrived;  ///< mbarrier of the bulk copy
};

/// Bits that are two halves, or eight. __half2 has constructors, so that these need one too.
union Word {
  unsigned bits;
  __half2 half;
  __device__ Word() : bits(0) {}
  __device__ explicit Word(unsigned b) : bits(b) {}
};
union Words {
  uint4 bits;
  __half2 half[4];
  __device__ Words() : bits(make_uint4(0, 0, 0, 0)) {}
  __device__ explicit Words(uint4 b) : bits(b) {}
};

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

/// The same value, of which the compiler knows nothing: it neither moves address arithmetic into
/// the loop nor peels the last iteration.
template <class T>
__device__ __forceinline__ T opaque(T value) {
  if constexpr (sizeof(T) == 8) {
    asm("" : "+l"(value));
  } else {
    asm("" : "+r"(value));
  }
  return value;
}

/// base + pixel * 64 bytes as one multiply-add.
__device__ __forceinline__ const unsigned char* pixel_address(const unsigned char* base,
                                                              unsigned pixel) {
  auto address = reinterpret_cast<unsigned long long>(base);
  asm("mad.wide.u32 %0, %1, 64, %0;" : "+l"(address) : "r"(pixel));
  return reinterpret_cast<const unsigned char*>(address);
}
__device__ __forceinline__ int pixel_offset(int base, unsigned pixel) {
  asm("mad.lo.s32 %0, %1, 64, %0;" : "+r"(base) : "r"(pixel));
  return base;
}

// --- Shared work
// ------------------------------------------------------------------------------------

/// This block's tiles, wave by wave, as runs of queries of one image.
class Runs {
 public:
  __device__ explicit Runs(const Inputs& inputs)
      : inputs_(inputs), tiles_((inputs.queries + kTile - 1) / kTile) {}

  int image = 0;
  int first = 0;  ///< query
  int last = 0;   ///< query behind the run
  int tiles = 0;

  __device__ bool next() {
    while (tile_ == end_) {
      if (wave_ == kWaves) return false;
      begin_wave(wave_++);
    }
    image = tile_ / tiles_;
    const int end = min(end_, (image + 1) * tiles_);
    first = (tile_ - image * tiles_) * kTile;
    last = min((end - image * tiles_) * kTile, inputs_.queries);
    tiles = end - tile_;
    tile_ = end;
    return true;
  }

 private:
  __device__ void begin_wave(int wave) {
    const long long from = static_cast<long long>(inputs_.batch) * wave / kWaves * tiles_;
    const long long count =
        static_cast<long long>(inputs_.batch) * (wave + 1) / kWaves * tiles_ - from;
    tile_ = static_cast<int>(from + count * blockIdx.x / gridDim.x);
    end_ = static_cast<int>(from + count * (blockIdx.x + 1) / gridDim.x);
  }

  const Inputs& inputs_;
  int tiles_;  ///< of an image
  int wave_ = 0;
  int tile_ = 0;
  int end_ = 0;
};

// --- Resident levels
// --------------------------------------------------------------------------------

__device__ void begin_copy(Shared& shared, const Inputs& inputs, int image) {
  const unsigned barrier = shared_address(&shared.arrived);
  const __half* from =
      inputs.value +
      (static_cast<std::size_t>(image) * kImagePixels + start_of(kFirstResident)) * kChannels;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile(
      "{ .reg .b64 state; mbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1; }" ::"r"(
          barrier),
      "r"(kResidentBytes)
      : "memory");
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(shared.resident)),
      "l"(from), "r"(kResidentBytes), "r"(barrier)
      : "memory");
}

__device__ void wait_copy(Shared& shared, unsigned parity) {
  unsigned done = 0;
  while (done == 0) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
        "selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(shared_address(&shared.arrived)), "r"(parity)
        : "memory");
  }
}

// --- Metadata
// ---------------------------------------------------------------------------------------

/// The locations and weights of a lane's four points, as they lie in memory.
struct RawPoints {
  uint4 locations;
  uint2 weights;
};

/// Largest integer not above a number of 0 .. 2^22.
__device__ __forceinline__ float whole_part(float x) {
  constexpr float kMagic = 12582912.0F;  // 1.5 * 2^23: adding it leaves no room for a fraction
  return __fadd_rd(x, kMagic) - kMagic;
}

/// Four points of one level to the query's row of taps. Pixels at the edge move inside, and weights
/// follow; a point outside, or one that is no number, weighs nothing.
__device__ __forceinline__ void write_taps(const RawPoints& raw, float width, float height,
                                           int lane, Taps& taps) {
  const Words locations(raw.locations);
  const Word weights[2] = {Word(raw.weights.x), Word(raw.weights.y)};
  Words left;
  Words right;
  unsigned place[kPointsOfLane];
#pragma unroll
  for (int i = 0; i < kPointsOfLane; ++i) {
    const float2 location = __half22float2(locations.half[i]);
    const __half2 pair = weights[i / 2].half;
    const float weight = __half2float(i % 2 == 0 ? __low2half(pair) : __high2half(pair));
    const float x = fmaf(location.x, width, -0.5F);
    const float y = fmaf(location.y, height, -0.5F);
    const float whole_x = whole_part(fminf(fmaxf(x, 0.0F), width - 2.0F));
    const float whole_y = whole_part(fminf(fmaxf(y, 0.0F), height - 2.0F));
    const float dx = x - whole_x;
    const float dy = y - whole_y;
    const float x0 = __saturatef(1.0F - fabsf(dx));
    const float x1 = __saturatef(1.0F - fabsf(dx - 1.0F));
    const float y0 = __saturatef(1.0F - fabsf(dy)) * weight;
    const float y1 = __saturatef(1.0F - fabsf(dy - 1.0F)) * weight;
    // As an integer in the low bits of a float of 2^23 and more.
    place[i] = __float_as_uint(fmaf(whole_y, width, whole_x) + 8388608.0F);
    left.half[i] = __floats2half2_rn(x0 * y0, x0 * y1);
    right.half[i] = __floats2half2_rn(x1 * y0, x1 * y1);
  }
  reinterpret_cast<uint2*>(taps.pixel)[lane] =
      make_uint2(__byte_perm(place[0], place[1], 0x5410), __byte_perm(place[2], place[3], 0x5410));
  reinterpret_cast<uint4*>(taps.weights[0])[lane] = left.bits;
  reinterpret_cast<uint4*>(taps.weights[1])[lane] = right.bits;
}

// --- Gather
// -----------------------------------------------------------------------------------------

/// Level of step `step`: 0, 3, 1, 2.
__host__ __device__ constexpr int level_of_step(int step) {
  return step % 2 == 0 ? step / 2 : kLevels - 1 - step / 2;
}

/// What a lane reads: 8 channels of the pixels on its side.
struct Reader {
  const unsigned char* image;     ///< in global memory, at the lane's side and channels
  const unsigned char* resident;  ///< shared memory
  int offset;                     ///< the lane's side and channels in it
  const Taps* taps;
  int side;

  /// The upper and lower pixels of all points of one level, added up.
  template <int step>
  __device__ __forceinline__ void add_level(float (&sums)[8]) const {
    constexpr int kLevel = level_of_step(step);
    constexpr int kRow = width_of(kLevel) * kPixelBytes;
    Words values[kPoints][2];
    Word weights[kPoints];
    const uint4 places = reinterpret_cast<const uint4*>(taps->pixel)[kLevel];
    const unsigned place[4] = {places.x, places.y, places.z, places.w};
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const uint4 four =
          reinterpret_cast<const uint4*>(taps->weights[side] + kLevel * kPoints)[half];
      weights[4 * half].bits = four.x;
      weights[4 * half + 1].bits = four.y;
      weights[4 * half + 2].bits = four.z;
      weights[4 * half + 3].bits = four.w;
    }
#pragma unroll
    for (int i = 0; i < kPoints; ++i) {
      const unsigned pixel = i % 2 == 0 ? place[i / 2] & 0xffffU : place[i / 2] >> 16;
      if constexpr (kLevel >= kFirstResident) {
        constexpr int kStart = (start_of(kLevel) - start_of(kFirstResident)) * kPixelBytes;
        const unsigned char* at = resident + pixel_offset(offset, pixel) + kStart;
        values[i][0].bits = *reinterpret_cast<const uint4*>(at);
        values[i][1].bits = *reinterpret_cast<const uint4*>(at + kRow);
      } else {
        const unsigned char* at = pixel_address(image, pixel) + start_of(kLevel) * kPixelBytes;
        values[i][0].bits = __ldg(reinterpret_cast<const uint4*>(at));
        values[i][1].bits = __ldg(reinterpret_cast<const uint4*>(at + kRow));
      }
    }
    add_points<step == 0>(values, weights, sums);
  }

  template <bool first>
  __device__ __forceinline__ static void add_points(const Words (&values)[kPoints][2],
                                                    const Word (&weights)[kPoints],
                                                    float (&sums)[8]) {
    __half2 partial[4];
#pragma unroll
    for (int i = 0; i < kPoints; ++i) {
      const __half2 upper = __low2half2(weights[i].half);
      const __half2 lower = __high2half2(weights[i].half);
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        partial[c] = i == 0 ? __hmul2(values[i][0].half[c], upper)
                            : __hfma2(values[i][0].half[c], upper, partial[c]);
        partial[c] = __hfma2(values[i][1].half[c], lower, partial[c]);
      }
    }
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      const float2 sum = __half22float2(partial[c]);
      sums[2 * c] = first ? sum.x : sums[2 * c] + sum.x;
      sums[2 * c + 1] = first ? sum.y : sums[2 * c + 1] + sum.y;
    }
  }
};

/// Adds the two sides of a query: a lane keeps four of its eight channels.
__device__ __forceinline__ uint2 joined(const float (&sums)[8], int side) {
  float kept[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float given = side != 0 ? sums[i] : sums[4 + i];
    kept[i] = (side != 0 ? sums[4 + i] : sums[i]) + __shfl_xor_sync(~0U, given, kLanes / 2);
  }
  Word out[2];
  out[0].half = __floats2half2_rn(kept[0], kept[1]);
  out[1].half = __floats2half2_rn(kept[2], kept[3]);
  return make_uint2(out[0].bits, out[1].bits);
}

// --- The kernel
// -------------------------------------------------------------------------------------

__global__ void __launch_bounds__(kThreads, 1) twin(const __grid_constant__ Inputs inputs) {
  extern __shared__ __align__(128) unsigned char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&shared.arrived))
                 : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();

  const int warp = __shfl_sync(~0U, static_cast<int>(threadIdx.x) / 32, 0);
  const int query_of_warp = static_cast<int>(threadIdx.x) % 32 / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int side = lane / (kLanes / 2);
  const int part = lane % (kLanes / 2);  // of the channels
  const int level = lane / 2;            // whose points this lane computes
  const auto width = static_cast<float>(160 >> level);
  const auto height = static_cast<float>(level == 0   ? height_of(0)
                                         : level == 1 ? height_of(1)
                                         : level == 2 ? height_of(2)
                                                      : height_of(3));
  Taps& taps = shared.taps[warp * kQueriesOfWarp + query_of_warp];
  Reader reader{nullptr, shared.resident, opaque(side * kPixelBytes + part * 16), &taps, side};

  unsigned parity = 0;
  int turn = 0;  // whose warp's turn it is to begin a run, so that all get as many
  Runs runs(inputs);
  while (runs.next()) {
    __syncthreads();  // nobody reads the last image any more
    if (threadIdx.x == 0) begin_copy(shared, inputs, runs.image);
    const std::size_t row = static_cast<std::size_t>(runs.image) * inputs.queries;
    const auto* locations = reinterpret_cast<const unsigned char*>(inputs.locations) +
                            (row * kLanes + lane) * sizeof(uint4);
    const auto* weights = reinterpret_cast<const unsigned char*>(inputs.weights) +
                          (row * kLanes + lane) * sizeof(uint2);
    reader.image = opaque(reinterpret_cast<const unsigned char*>(inputs.value) +
                          static_cast<std::size_t>(runs.image) * kImagePixels * kPixelBytes +
                          side * kPixelBytes + part * 16);
    const auto query_at = [&](int four) {
      return runs.first + four * kQueriesOfWarp + query_of_warp;
    };
    RawPoints next{};
    const auto load = [&](int four) {
      const int query = min(query_at(four), runs.last - 1);
      next.locations = __ldg(reinterpret_cast<const uint4*>(
          locations + static_cast<std::size_t>(query) * kLanes * sizeof(uint4)));
      next.weights = __ldg(reinterpret_cast<const uint2*>(
          weights + static_cast<std::size_t>(query) * kLanes * sizeof(uint2)));
    };

    const int fours = runs.tiles * (kTile / kQueriesOfWarp);
    int four = warp - turn < 0 ? warp - turn + kWarps : warp - turn;
    if (four < fours) load(four);
    wait_copy(shared, parity);
    parity ^= 1;
#pragma unroll 1
    for (; four < fours; four += kWarps) {
      const RawPoints raw = next;
      if (const int ahead = opaque(four + kWarps); ahead < fours) load(ahead);
      __syncwarp();
      write_taps(raw, width, height, lane, taps);
      __syncwarp();
      float sums[8];
      reader.add_level<0>(sums);
      reader.add_level<1>(sums);
      reader.add_level<2>(sums);
      reader.add_level<3>(sums);
      const uint2 out = joined(sums, side);
      const int query = query_at(four);
      if (query < runs.last) {
        auto* to = reinterpret_cast<unsigned char*>(inputs.output) + (row + query) * kPixelBytes +
                   part * 16 + side * 8;
        *reinterpret_cast<uint2*>(to) = out;
      }
    }
    turn = (turn + fours) % kWarps;
  }
}

std::string twin_refusal(const msda_problem& p) {
  bool same = p.heads == 1 && p.channels == kChannels && p.levels == kLevels && p.points == kPoints;
  for (int level = 0; same && level < kLevels; ++level) {
    same = p.shapes[2 * level] == kHeights[level] && p.shapes[2 * level + 1] == kWidths[level];
  }
  if (!same) return "it is written for ledger-48: 1 head, 32 channels, 8 points, its four levels";
  return peer::refusal(p, {MSDA_FP16}, MSDA_PLAIN, 2);
}

}  // namespace

PEER_ERROR_TEXTS

PEER_EXPORT int msda_forward_query(const msda_problem* problem, msda_answer* answer) {
  return peer::answer_with(twin_refusal(*problem), answer);
}

PEER_EXPORT int msda_forward(const void* value, const std::int64_t*, const std::int64_t*,
                             const void* locations, const void* weights, void* output,
                             const msda_problem* problem, void*, void* stream) {
  static const int blocks = [] {
    int device = 0;
    int multiprocessors = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    cudaFuncSetAttribute(twin, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
    return multiprocessors;
  }();
  const Inputs inputs{static_cast<const __half*>(value),   static_cast<const __half*>(locations),
                      static_cast<const __half*>(weights), static_cast<__half*>(output),
                      static_cast<int>(problem->batch),    static_cast<int>(problem->queries)};
  twin<<<blocks, kThreads, sizeof(Shared), static_cast<cudaStream_t>(stream)>>>(inputs);
  return cudaGetLastError();
}
