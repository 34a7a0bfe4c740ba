// --- Launching ----------------------------------------------------------------------------------
// The kernels of the tables, and what each device has said of them. The launch itself is MSDA Lab's
// own (msda/runtime above).

namespace {

/// By its address: what it takes of the arguments is its own.
struct Kernel {
  const void* function = nullptr;

  Kernel() = default;
  Kernel(std::nullptr_t) {}
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
  kSizes,
  kOrder,
  kReferenceKind,
  kManyParts,
  kMask,
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

/// A kernel, and what each device has said of it.
struct Launchable {
  const char* symbol = nullptr;     ///< in the images; null: no kernel
  Kernel source;                    ///< as nvcc compiled it; null: the images alone have it
  msda::Pass when = msda::kBefore;  ///< of a pass
  int slot = 0;                     ///< the same
  std::atomic<const void*> function[kMostDevices] = {};  ///< what that device runs
  std::atomic<long long> workers[kMostDevices] = {};     ///< find_workers(); 0: not asked
};

/// NVRTC's code of a kernel of the table.
struct Images {
  const msda::runtime::Image* first = nullptr;
  int count = 0;
};

/// What a kernel was composed for.
struct Shape {
  int32_t types[4];  ///< enum msda_type: value, locations, weights, output
  int32_t layout;    ///< enum msda_layout
  int32_t reference_type, coordinates;  ///< of operators with reference points; 0: it has none
  int64_t anchors;                      ///< the same
  float (*box_part)(int);               ///< the same, by point of a row; null: it has no boxes
  bool padded;                          ///< a mask says which pixels count as zero
  int64_t heads, channels, levels;
  int64_t points[msda::kLevelLimit];     ///< of each level
  int64_t pixels;                        ///< of constant sizes
  int64_t size[2 * msda::kLevelLimit];   ///< the same
  int64_t start[msda::kLevelLimit];      ///< the same
  msda::LevelClass pyramids;             ///< of others
};

struct Tuned {
  const char* name;
  Shape shape;
  int64_t queries;       ///< in all images, that it was chosen for
  bool repeats;          ///< every run leaves the same bits
  int least_capability;  ///< 10 * major + minor
  int most_capability;   ///< 0: no limit
  msda::LaunchPlan plan;
  Images images;
  Launchable main[msda::kMostResident + 1];  ///< of given sizes by resident levels, else one
  Launchable passes[msda::kPasses * msda::kMostSlots] = {};  ///< up to the first without a kernel
  /// Capability that each device's code is for; -1: no code; 0: not asked.
  std::atomic<int> code[kMostDevices] = {};
};

int attribute(cudaDeviceAttr name) {
  int device = 0;
  int value = 0;
  const bool known = cudaGetDevice(&device) == cudaSuccess &&
                     cudaDeviceGetAttribute(&value, name, device) == cudaSuccess;
  return known ? value : 0;
}

int device_capability() {
  return 10 * attribute(cudaDevAttrComputeCapabilityMajor) +
         attribute(cudaDevAttrComputeCapabilityMinor);
}

/// All kernels of an entry from the image for the current device. False where none is for it, or
/// the driver takes none.
bool take_image(Tuned& tuned, const msda::runtime::Image* image, int device) {
  cudaLibrary_t library = nullptr;
  if (image == nullptr || msda::runtime::load_image(image->code, library).failed()) return false;
  const auto take = [&](Launchable& launch) {
    const void* function = nullptr;
    const bool found =
        !msda::runtime::find_function(library, launch.symbol, function).failed();
    launch.function[device].store(function);
    return found;
  };
  bool all = true;
  for (Launchable& main : tuned.main) {
    if (main.symbol != nullptr) all = take(main) && all;
  }
  for (Launchable& pass : tuned.passes) {
    if (pass.symbol != nullptr) all = take(pass) && all;
  }
  if (!all) cudaLibraryUnload(library);
  return all;
}

/// The same as nvcc compiled them; the capability that their code is for, or -1.
int take_source(Tuned& tuned, int device) {
  cudaFuncAttributes found{};
  if (tuned.main[0].source.function == nullptr ||
      cudaFuncGetAttributes(&found, tuned.main[0].source.function) != cudaSuccess)
    return -1;
  for (Launchable& main : tuned.main) main.function[device].store(main.source.function);
  for (Launchable& pass : tuned.passes) pass.function[device].store(pass.source.function);
  return found.ptxVersion;
}

/// The compute capability that the kernels' code was compiled for, as far as the current device has
/// code of them: less than the device's where the driver compiled older PTX.
int code_capability(Tuned& tuned) {
  static std::mutex mutex;
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess || device >= kMostDevices) return -1;
  int code = tuned.code[device].load();
  if (code != 0) return code;
  const std::lock_guard lock(mutex);
  const msda::runtime::Image* image = msda::runtime::choose_image(
      tuned.images.first, tuned.images.count, device_capability());
  code = take_image(tuned, image, device) ? image->capability : take_source(tuned, device);
  cudaGetLastError();  // not left for others to find
  tuned.code[device].store(code);
  return code;
}

/// Whether the current device can run it.
bool runs_here(Tuned& tuned) {
  const int capability = device_capability();
  const auto shared = static_cast<unsigned>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  return code_capability(tuned) >= tuned.least_capability &&
         (tuned.most_capability == 0 || capability <= tuned.most_capability) &&
         tuned.plan.main.shared_bytes <= shared;
}

/// The kernel with its grid for the sizes of the arguments, on a device that runs_here() was asked
/// of. `capability` is that of its code; `most` is the shape with all the shared memory that a
/// launch may ask for.
int prepare(Launchable& launch, const msda::LaunchShape& shape, const msda::LaunchShape& most,
            int capability, const msda::LaunchArguments& arguments,
            msda::runtime::Kernel& kernel) {
  int device = 0;
  const cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return error;
  kernel.function = launch.function[device].load();
  kernel.shape = shape;
  // The code waits for the kernel before it where it was compiled for 9.0 or later.
  if (shape.dependent != 0 && capability < 90) kernel.shape.dependent = 0;
  long long workers = launch.workers[device].load();
  if (workers == 0) {
    const msda::runtime::Status status = msda::runtime::find_workers(
        kernel.function, most, attribute(cudaDevAttrMultiProcessorCount), workers);
    if (status.failed()) return code_of(status);
    launch.workers[device].store(workers);
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
    bytes += aligned(msda::runtime::extent_bytes(extent, p.batch, p.queries, p.spatial_size));
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

/// `plan` is the kernel's for the sizes at hand (msda::runtime::at_sizes).
int launch(Tuned& tuned, const msda::LaunchPlan& plan, const msda::runtime::Clears& clears,
           msda::AllArguments& arguments, cudaStream_t stream) {
  const int capability = code_capability(tuned);
  msda::runtime::Sequence sequence;
  sequence.clears = clears;
  const auto add = [&](Launchable& launch, const msda::LaunchShape& shape,
                       const msda::LaunchShape& most) {
    msda::runtime::Kernel kernel;
    const int failed = prepare(launch, shape, most, capability, arguments, kernel);
    sequence.add(kernel);
    return failed;
  };
  const auto add_passes = [&](msda::Pass when) {
    int failed = 0;
    for (Launchable& pass : tuned.passes) {
      if (pass.symbol == nullptr || failed != 0) break;
      const msda::LaunchShape& shape = plan.pass[when][pass.slot];
      if (pass.when == when) failed = add(pass, shape, shape);
    }
    return failed;
  };
  const int way = plan.levels == msda::kGivenLevels ? arguments.views.sizes.resident : 0;
  int failed = add_passes(msda::kBefore);
  if (failed == 0) failed = add(tuned.main[way], plan.main, tuned.plan.main);
  if (failed == 0) failed = add_passes(msda::kAfter);
  if (failed != 0) return failed;
  return code_of(msda::runtime::enqueue(sequence, plan, arguments, stream));
}

}  // namespace
