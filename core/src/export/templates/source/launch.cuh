// --- Launching ----------------------------------------------------------------------------------
// What a composed kernel needs of the host: geometry from its launch plan, workspaces, pre-passes.

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

/// A kernel, and what each device has said of it; 0: not asked.
struct Launchable {
  Kernel kernel;
  int slot = 0;                                 ///< of a pre-pass
  std::atomic<int> workers[kMostDevices] = {};  ///< blocks or clusters of its grid that fit
  std::atomic<int> code[kMostDevices] = {};     ///< capability that its code is for; -1: no code
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
  Launchable prepasses[msda::kMostSlots];  ///< up to the first without a kernel
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

/// Opts in to the kernel's shared memory, and finds how many workers are resident at a time.
cudaError_t find_workers(const void* function, const msda::LaunchShape& shape, int& workers) {
  cudaError_t error = cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(shape.shared_bytes));
  if (error != cudaSuccess) return error;
  const int multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
  workers = std::max(1, static_cast<int>(shape.resident_blocks) * multiprocessors);
  if (shape.cluster <= 1) return cudaSuccess;
  const auto blocks = static_cast<int>(shape.cluster);
  if (blocks > 8) {
    error = cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (error != cudaSuccess) return error;
  }
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {shape.cluster, 1, 1};
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = dim3(shape.cluster);
  configuration.blockDim = dim3(shape.threads);
  configuration.dynamicSmemBytes = shape.shared_bytes;
  configuration.attrs = &cluster;
  configuration.numAttrs = 1;
  int clusters = 0;
  error = cudaOccupancyMaxActiveClusters(&clusters, function, &configuration);
  if (error != cudaSuccess) return error;
  if (clusters == 0) return cudaErrorLaunchOutOfResources;
  workers = std::min(clusters, std::max(1, workers / blocks));
  return cudaSuccess;
}

int enqueue(Launchable& launch, const msda::LaunchShape& shape, msda::AllArguments& arguments,
            cudaStream_t stream) {
  int device = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return error;
  int resident = device < kMostDevices ? launch.workers[device].load() : 0;
  if (resident == 0) {
    error = find_workers(launch.kernel.function, shape, resident);
    if (error != cudaSuccess) return error;
    if (device < kMostDevices) launch.workers[device].store(resident);
  }
  const long long items = msda::item_count(shape, arguments.batch, arguments.queries);
  const bool divides_itself = shape.rows_per_item == 0 && shape.chunks == 0;
  long long workers = shape.resident_blocks == 0 ? items
                      : divides_itself           ? resident
                                                 : std::min<long long>(items, resident);
  if (shape.most_workers != 0) workers = std::min<long long>(workers, shape.most_workers);
  const long long blocks = workers * std::max(shape.cluster, 1U);
  if (blocks > INT32_MAX) return kGrid;
  cudaLaunchAttribute attributes[2]{};
  cudaLaunchConfig_t configuration{};
  if (shape.cluster > 1) {
    cudaLaunchAttribute& cluster = attributes[configuration.numAttrs++];
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {shape.cluster, 1, 1};
  }
  // The code waits for what is before it where it was compiled for 9.0 or later.
  if (shape.dependent != 0 && code_capability(launch) >= 90) {
    cudaLaunchAttribute& dependence = attributes[configuration.numAttrs++];
    dependence.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    dependence.val.programmaticStreamSerializationAllowed = 1;
  }
  configuration.gridDim = dim3(static_cast<unsigned>(blocks));
  configuration.blockDim = dim3(shape.threads);
  configuration.dynamicSmemBytes = shape.shared_bytes;
  configuration.stream = stream;
  configuration.attrs = attributes;
  void* parameters[] = {&arguments};
  return cudaLaunchKernelExC(&configuration, launch.kernel.function, parameters);
}

size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

size_t slot_bytes(const Tuned& tuned, const msda_problem& p, int slot) {
  const msda::Extent& extent = tuned.plan.workspace[slot];
  return static_cast<size_t>(extent.fixed + extent.per_image * p.batch +
                             extent.per_query * p.batch * p.queries);
}

/// Of all slots together, each at a multiple of the alignment.
size_t workspace_bytes(const Tuned& tuned, const msda_problem& p) {
  size_t bytes = 0;
  for (int slot = 0; slot < msda::kMostSlots; ++slot) bytes += aligned(slot_bytes(tuned, p, slot));
  return bytes;
}

/// The arguments of all kernels of a launch; `workspace` has workspace_bytes().
msda::AllArguments arguments_of(const Tuned& tuned, const msda_problem& p, const void* value,
                                const void* locations, const void* weights, void* output,
                                void* workspace) {
  msda::AllArguments arguments{};
  arguments.value = value;
  arguments.locations = locations;
  arguments.weights = weights;
  arguments.output = output;
  arguments.batch = p.batch;
  arguments.queries = p.queries;
  auto* next = static_cast<unsigned char*>(workspace);
  for (int slot = 0; slot < msda::kMostSlots; ++slot) {
    const size_t bytes = slot_bytes(tuned, p, slot);
    if (bytes == 0) continue;
    arguments.workspace[slot] = next;
    next += aligned(bytes);
  }
  return arguments;
}

/// Clears what has to be zero, then the pre-passes, then the kernel. `remembers`: the workspace is
/// as the launch before left it, or zero.
int launch(Tuned& tuned, const msda_problem& p, msda::AllArguments arguments, bool remembers,
           cudaStream_t stream) {
  msda::LaunchShape shape = tuned.plan.main;
  for (int slot = 0; slot < msda::kMostSlots; ++slot) {
    const unsigned zeroed = tuned.plan.zeroed[slot];
    const bool is_zero = zeroed == msda::kNeverZeroed || (zeroed == msda::kZeroedOnce && remembers);
    if (is_zero || arguments.workspace[slot] == nullptr) continue;
    const cudaError_t error =
        cudaMemsetAsync(arguments.workspace[slot], 0, slot_bytes(tuned, p, slot), stream);
    if (error != cudaSuccess) return error;
    // It depends on the launch before it, and clearing a workspace is none.
    if (tuned.prepasses[0].kernel.function == nullptr) shape.dependent = 0;
  }
  for (Launchable& prepass : tuned.prepasses) {
    if (prepass.kernel.function == nullptr) break;
    const int error = enqueue(prepass, tuned.plan.prepass[prepass.slot], arguments, stream);
    if (error != 0) return error;
  }
  return enqueue(tuned.main, shape, arguments, stream);
}

}  // namespace
