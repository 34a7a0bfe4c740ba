// OpenGVLab/DCNv4: FlashDeformAttn, a softmax over the logits and then the gather, fp16 and bf16.
// It reads locations and logits of a point's row side by side, which is what prepare() packs.
//
// Its block size is what its findspec() takes, the largest of at most 512 threads whose queries
// divide B*Q. Where they do not divide Q, blocks straddle two images and read one image's values
// for queries of the next. With the option "exact" it is the fastest one whose queries divide Q.
#include <cuda/flash_deform_im2col_cuda.cuh>

#include <exception>
#include <vector>

#include "adapter.cuh"

PEER_ERROR_TEXTS

namespace {

/// Channels of a thread, and queries of a block.
struct Spec {
  int channels;
  int queries;
};

/// What an input set is packed into, and the block size for it.
struct Packed {
  void* data = nullptr;  ///< [B, Q, H, 3 L P]: L P locations, then L P logits
  Spec spec{0, 0};
};

int threads_of(const Spec& spec, const msda_problem& p) {
  return static_cast<int>(spec.queries * p.heads * p.channels / spec.channels);
}

/// DCNv4's findspec(): 8 channels a thread, blocks of at most 512 threads and 64 queries.
Spec own_spec(const msda_problem& p) {
  Spec spec{8, 1};
  for (int queries = 1; queries <= 64; ++queries) {
    if (p.batch * p.queries % queries == 0 && threads_of({8, queries}, p) <= 512) {
      spec.queries = queries;
    }
  }
  return spec;
}

std::vector<Spec> exact_specs(const msda_problem& p) {
  std::vector<Spec> specs;
  for (const int channels : {1, 2, 4, 8, 16}) {
    for (int queries = 1; queries <= 64 && p.channels % channels == 0; ++queries) {
      const int threads = threads_of({channels, queries}, p);
      if (p.queries % queries == 0 && threads >= 32 && threads <= 1024) {
        specs.push_back({channels, queries});
      }
    }
  }
  if (specs.empty()) specs.push_back({8, 1});
  return specs;
}

template <class T>
__global__ void pack(const T* locations, const T* logits, T* packed, long long rows, int points) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long numbers = rows * 3 * points;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < numbers;
       i += step) {
    const long long row = i / (3 * points);
    const int at = static_cast<int>(i % (3 * points));
    packed[i] =
        at < 2 * points ? locations[row * 2 * points + at] : logits[row * points + at - 2 * points];
  }
}

template <class T>
void launch(const Spec& spec, const void* value, const std::int64_t* shapes,
            const std::int64_t* starts, const Packed& packed, void* output, const msda_problem& p,
            cudaStream_t stream) {
  flash_deformable_im2col_cuda<T>(
      stream, static_cast<const T*>(value), shapes, starts, static_cast<const T*>(packed.data),
      static_cast<T*>(output), static_cast<int>(p.batch), static_cast<int>(p.spatial_size),
      static_cast<int>(p.heads), static_cast<int>(p.channels), static_cast<int>(p.levels),
      static_cast<int>(p.queries), static_cast<int>(p.points), spec.channels, threads_of(spec, p),
      true);
}

/// Milliseconds of a few launches, or infinity when they fail: not every size fits its registers.
template <class Launch>
float time_of(const Launch& launch_spec, cudaStream_t stream) {
  constexpr int kLaunches = 5;
  cudaEvent_t events[2];
  for (cudaEvent_t& event : events) cudaEventCreate(&event);
  float milliseconds = 0;
  bool good = true;
  try {
    launch_spec();
    cudaEventRecord(events[0], stream);
    for (int i = 0; i < kLaunches; ++i) launch_spec();
    cudaEventRecord(events[1], stream);
  } catch (const std::exception&) {
    good = false;
  }
  good = good && cudaEventSynchronize(events[1]) == cudaSuccess &&
         cudaEventElapsedTime(&milliseconds, events[0], events[1]) == cudaSuccess;
  for (cudaEvent_t& event : events) cudaEventDestroy(event);
  cudaGetLastError();
  return good ? milliseconds : std::numeric_limits<float>::infinity();
}

template <class T>
int prepare(const void* value, const std::int64_t* shapes, const std::int64_t* starts,
            const void* locations, const void* logits, void* output, const msda_problem& p,
            Packed*& state, cudaStream_t stream) {
  const long long rows = p.batch * p.queries * p.heads;
  const int points = static_cast<int>(p.levels * p.points);
  if (state == nullptr) {
    state = new Packed;
    const cudaError_t result =
        cudaMalloc(&state->data, static_cast<std::size_t>(rows) * 3 * points * sizeof(T));
    if (result != cudaSuccess) return result;
  }
  pack<<<4096, 256, 0, stream>>>(static_cast<const T*>(locations), static_cast<const T*>(logits),
                                 static_cast<T*>(state->data), rows, points);
  if (const cudaError_t result = cudaGetLastError(); result != cudaSuccess) return result;
  if (state->spec.queries != 0) return cudaSuccess;
  state->spec = own_spec(p);
  float best = std::numeric_limits<float>::infinity();
  for (const Spec& spec : peer::has_option(p, "exact") ? exact_specs(p) : std::vector<Spec>()) {
    const float time =
        time_of([&] { launch<T>(spec, value, shapes, starts, *state, output, p, stream); }, stream);
    if (time < best) {
      best = time;
      state->spec = spec;
    }
  }
  return cudaSuccess;
}

std::string dcnv4_refusal(const msda_problem& p) {
  if (p.points != 4 && p.points != 8) return "it is written for 4 or 8 points";
  if (p.levels > 5) return "it is written for at most 5 levels";
  if (p.channels % 8 != 0) return "a thread has 8 channels";
  if (p.heads * p.channels / 8 > 512) return "the threads of a query do not fit its blocks";
  return peer::refusal(p, {MSDA_FP16, MSDA_BF16}, MSDA_PLAIN, 3);
}

}  // namespace

PEER_EXPORT int msda_forward_query(const msda_problem* problem, msda_answer* answer) {
  answer->wants_logits = 1;
  return peer::answer_with(dcnv4_refusal(*problem), answer);
}

PEER_EXPORT int msda_forward_prepare(const void* value, const std::int64_t* shapes,
                                     const std::int64_t* starts, const void* locations,
                                     const void* weights, void* output, const msda_problem* problem,
                                     void** state, void* stream) {
  const auto run = problem->value_type == MSDA_FP16 ? prepare<at::Half> : prepare<at::BFloat16>;
  return run(value, shapes, starts, locations, weights, output, *problem,
             reinterpret_cast<Packed*&>(*state), static_cast<cudaStream_t>(stream));
}

PEER_EXPORT void msda_forward_release(void* state) {
  auto* packed = static_cast<Packed*>(state);
  cudaFree(packed->data);
  delete packed;
}

PEER_EXPORT int msda_forward(const void* value, const std::int64_t* shapes,
                             const std::int64_t* starts, const void*, const void*, void* output,
                             const msda_problem* problem, void* state, void* stream) {
  const auto run = problem->value_type == MSDA_FP16 ? launch<at::Half> : launch<at::BFloat16>;
  const auto& packed = *static_cast<const Packed*>(state);
  try {
    run(packed.spec, value, shapes, starts, packed, output, *problem,
        static_cast<cudaStream_t>(stream));
  } catch (const std::exception&) {
    return cudaErrorInvalidConfiguration;
  }
  return cudaGetLastError();
}
