// --- Launching ----------------------------------------------------------------------------------
// Which kernels of the table fit a call, and what each device has said of them. The launch itself is
// MSDA Lab's own (msda/runtime above).

namespace {

/// By its address: what it takes of the arguments is its own.
struct Kernel {
  const void* function = nullptr;

  Kernel() = default;
  template <class Taken>
  Kernel(void (*kernel)(Taken)) : function(reinterpret_cast<const void*>(kernel)) {}
};

/// Codes beside those of cudaError_t.
enum Failure : int {
  kTypes = 20001,
  kLevels,
  kState,
  kGrid,
  kEncoder,
};

constexpr int kMostDevices = 64;
constexpr size_t kAlignment = 256;  ///< of the parts of a workspace

/// As the C entries return it: 0, a cudaError_t, or one of the codes above.
int code_of(const msda::runtime::Status& status) {
  switch (status.failure) {
    case msda::runtime::Failure::kNoCluster: return cudaErrorLaunchOutOfResources;
    case msda::runtime::Failure::kNoEncoder:
    case msda::runtime::Failure::kEncoding: return kEncoder;
    default: return status.code;
  }
}

/// A kernel, and what each device has said of it; 0: not asked.
struct Launchable {
  Kernel kernel;
  msda::Pass when = msda::kBefore;                    ///< of a pass
  int slot = 0;                                       ///< the same
  std::atomic<long long> workers[kMostDevices] = {};  ///< find_workers()
  std::atomic<int> code[kMostDevices] = {};  ///< capability that its code is for; -1: no code
};

/// What a kernel was composed for.
struct Shape {
  int32_t types[4];  ///< enum msda_type: value, locations, weights, output
  int32_t layout;    ///< enum msda_layout
  int64_t heads, channels, points, levels, pixels;
  int64_t size[2 * msda::kLevelLimit];
  int64_t start[msda::kLevelLimit];
};

struct Tuned {
  const char* name;
  Shape shape;
  int64_t queries;       ///< in all images, that it was chosen for
  int least_capability;  ///< 10 * major + minor
  int most_capability;   ///< 0: no limit
  msda::LaunchPlan plan;
  Launchable main;
  Launchable passes[msda::kPasses * msda::kMostSlots];  ///< up to the first without a kernel
};

template <class T>
constexpr int32_t kTypeOf = MSDA_FP32;
template <>
constexpr int32_t kTypeOf<__half> = MSDA_FP16;
template <>
constexpr int32_t kTypeOf<__nv_bfloat16> = MSDA_BF16;

template <class P>
constexpr Shape shape_of() {
  Shape shape = {{kTypeOf<typename P::Value>, kTypeOf<typename P::Location>,
                  kTypeOf<typename P::Weight>, kTypeOf<typename P::Output>},
                 P::kBordered ? MSDA_ZERO_BORDER : MSDA_PLAIN,
                 P::kHeads,
                 P::kChannels,
                 P::kPoints,
                 P::kLevels,
                 P::kSpatialSize,
                 {},
                 {}};
  for (int l = 0; l < P::kLevels; ++l) {
    shape.size[2 * l] = P::height(l);
    shape.size[2 * l + 1] = P::width(l);
    shape.start[l] = P::start(l);
  }
  return shape;
}

bool fits(const Shape& shape, const msda_problem& p) {
  const int32_t types[4] = {p.value_type, p.location_type, p.weight_type, p.output_type};
  if (!std::equal(types, types + 4, shape.types) || p.layout != shape.layout) return false;
  if (p.heads != shape.heads || p.channels != shape.channels || p.points != shape.points ||
      p.levels != shape.levels || p.spatial_size != shape.pixels || p.shapes == nullptr)
    return false;
  return std::equal(p.shapes, p.shapes + 2 * p.levels, shape.size) &&
         std::equal(p.starts, p.starts + p.levels, shape.start);
}

int attribute(cudaDeviceAttr name) {
  int device = 0;
  int value = 0;
  const bool known = cudaGetDevice(&device) == cudaSuccess &&
                     cudaDeviceGetAttribute(&value, name, device) == cudaSuccess;
  return known ? value : 0;
}

/// The compute capability that the kernel's code was compiled for, as far as the current device has
/// code of it: less than the device's where the driver compiled older PTX.
int code_capability(Launchable& launch) {
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess || device >= kMostDevices) return -1;
  int code = launch.code[device].load();
  if (code != 0) return code;
  cudaFuncAttributes found{};
  code =
      cudaFuncGetAttributes(&found, launch.kernel.function) == cudaSuccess ? found.ptxVersion : -1;
  if (code < 0) cudaGetLastError();  // not left for others to find
  launch.code[device].store(code);
  return code;
}

/// Whether the current device can run it.
bool runs_here(Tuned& tuned) {
  const int capability = 10 * attribute(cudaDevAttrComputeCapabilityMajor) +
                         attribute(cudaDevAttrComputeCapabilityMinor);
  const auto shared = static_cast<unsigned>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  return code_capability(tuned.main) >= tuned.least_capability &&
         (tuned.most_capability == 0 || capability <= tuned.most_capability) &&
         tuned.plan.main.shared_bytes <= shared;
}

/// The kernel with its grid for the sizes of the arguments.
int prepare(Launchable& launch, const msda::LaunchShape& shape,
            const msda::LaunchArguments& arguments,
            msda::runtime::Kernel& kernel) {
  kernel.function = launch.kernel.function;
  kernel.shape = shape;
  // The code waits for the kernel before it where it was compiled for 9.0 or later.
  if (shape.dependent != 0 && code_capability(launch) < 90) kernel.shape.dependent = 0;
  int device = 0;
  const cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return error;
  long long workers = device < kMostDevices ? launch.workers[device].load() : 0;
  if (workers == 0) {
    const msda::runtime::Status status = msda::runtime::find_workers(
        kernel.function, shape, attribute(cudaDevAttrMultiProcessorCount), workers);
    if (status.failed()) return code_of(status);
    if (device < kMostDevices) launch.workers[device].store(workers);
  }
  const long long blocks =
      msda::runtime::block_count(shape, arguments.batch, arguments.queries, workers);
  if (blocks > msda::runtime::kMostBlocks) return kGrid;
  kernel.blocks = static_cast<unsigned>(blocks);
  return 0;
}

size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

/// Of all slots together, each at a multiple of the alignment.
size_t workspace_bytes(const Tuned& tuned, const msda_problem& p) {
  size_t bytes = 0;
  for (const msda::Extent& extent : tuned.plan.workspace)
    bytes += aligned(msda::runtime::extent_bytes(extent, p.batch, p.queries));
  return bytes;
}

/// Cuts a workspace of workspace_bytes() into those of the slots; what the launch clears of them.
/// `remembers`: the workspace is as the launch before left it, or zero.
msda::runtime::Clears add_workspaces(const Tuned& tuned, void* workspace, bool remembers,
                                     msda::LaunchArguments& arguments) {
  auto* next = static_cast<unsigned char*>(workspace);
  return msda::runtime::add_workspaces(tuned.plan, remembers, arguments, [&](int, size_t bytes) {
    unsigned char* const first = next;
    next += aligned(bytes);
    return first;
  });
}

int launch(Tuned& tuned, const msda::runtime::Clears& clears, msda::AllArguments& arguments,
           cudaStream_t stream) {
  msda::runtime::Sequence sequence;
  sequence.clears = clears;
  const auto add = [&](Launchable& launch, const msda::LaunchShape& shape) {
    msda::runtime::Kernel kernel;
    const int failed = prepare(launch, shape, arguments, kernel);
    sequence.add(kernel);
    return failed;
  };
  const auto add_passes = [&](msda::Pass when) {
    int failed = 0;
    for (Launchable& pass : tuned.passes) {
      if (pass.kernel.function == nullptr || failed != 0) break;
      if (pass.when == when) failed = add(pass, tuned.plan.pass[when][pass.slot]);
    }
    return failed;
  };
  int failed = add_passes(msda::kBefore);
  if (failed == 0) failed = add(tuned.main, tuned.plan.main);
  if (failed == 0) failed = add_passes(msda::kAfter);
  if (failed != 0) return failed;
  return code_of(msda::runtime::enqueue(sequence, arguments, stream));
}

}  // namespace
