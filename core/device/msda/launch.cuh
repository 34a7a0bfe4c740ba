// What the host must know to launch a composition. The device headers compute this at compile time
// and the host reads it from the compiled module, so that geometry is decided once. Host and device
// share this file, so it includes nothing.
#pragma once

namespace msda {

inline constexpr int kMostSlots = 16;    ///< of a family of skeletons, which numbers its own slots
inline constexpr int kTensorLimit = 16;  ///< tensors that an operator may have
inline constexpr int kLevelLimit = 8;    ///< levels that a problem may have
inline constexpr int kTexelViews = 2;    ///< views of the stored values as texels of some size

/// A CUtensorMap: the driver's description of a tensor for TMA.
struct alignas(64) TensorMap {
  unsigned long long opaque[16];
};

/// The level sizes of a unit that does not have them as constants. Pixels include borders.
struct LevelSizes {
  int width[kLevelLimit];
  int height[kLevelLimit];
  int start[kLevelLimit];   ///< stored pixels of an image before the level
  int pixels;               ///< of an image: S
  int resident;             ///< levels that the kernel keeps in shared memory; of given sizes
  const long long* shapes;  ///< (height, width) of each level in device memory; of stored sizes
};

/// The arrays that a kernel samples, or the level sizes: texture arrays are of constant sizes.
union LevelViews {
  struct {
    unsigned long long texture[kLevelLimit];  ///< texture objects of the plan's textures
    unsigned long long surface[kLevelLimit];  ///< surface objects of the same arrays
  } arrays;
  LevelSizes sizes;
};

/// The arguments of a launch that do not depend on the operator. By-value argument of every kernel
/// of an operator is a struct of pointers to the operator's tensors (or to as many of the first as
/// its kernels take), the last of its list first, and then these:
///
///   struct Tensors {
///     void* sums;
///     const void* rows;
///   };
///   struct Arguments : Tensors, msda::LaunchArguments {};
///
/// The pointers lie before these, beside the sizes, because a kernel's first read of each further
/// line of parameters waits for memory: 0.2 us of a 5 us kernel on an H200. Their order makes what
/// several operators share the end of each one's arguments, so that a base class can hold that.
struct LaunchArguments {
  long long batch;              ///< B
  long long queries;            ///< Q
  void* workspace[kMostSlots];  ///< of the slots' policies, sized by Extents; null: none
  LevelViews views;
  unsigned long long texels[kTexelViews];  ///< linear textures of the plan's views
  unsigned first_texel[kTexelViews];       ///< texel at which the stored values begin
};

struct PointTensors {
  const void* weights;
  const void* locations;
  const void* value;
};
/// What policies know that read values at points, whatever the operator makes of these. Shapes as
/// in problem.hpp.
struct Arguments : PointTensors, LaunchArguments {};

/// Of operator forward.
struct ForwardOutput {
  void* output;
};
struct ForwardArguments : ForwardOutput, Arguments {};

/// Arguments of kernels that copy boxes by TMA: one tensor map for each level, valid for levels
/// with a box in the plan. Kept apart because a larger parameter block makes every launch slower.
template <int levels, class Own>
struct MappedArguments : Own {
  TensorMap maps[levels];
};

/// Tensors that kernels with these arguments take.
template <class Own>
inline constexpr unsigned kTensors = (sizeof(Own) - sizeof(LaunchArguments)) / sizeof(void*);

/// What the host fills in for the kernels of any operator. runtime/parameters.hpp makes of this
/// what a kernel takes.
struct AllArguments : LaunchArguments {
  void* tensor[kTensorLimit];  ///< in the order of the operator's list
  TensorMap maps[kLevelLimit];
};

/// Bytes of workspace as a function of the run-time sizes: the sum of the parts.
struct Extent {
  long long fixed = 0;
  long long per_image = 0;  ///< times B
  long long per_query = 0;  ///< times B * Q
  long long per_pixel = 0;  ///< times B * S, of code that has no constant S
};

/// One launch. Work is cut into items; an item is a run of rows of one plane of one image. A row is
/// one output vector (b, q, h); a plane has the rows of an image, of some neighbouring heads of it,
/// or a block of the channels of these.
struct LaunchShape {
  unsigned threads = 0;          ///< per block
  unsigned shared_bytes = 0;     ///< dynamic, per block; the skeleton sets it from `Storage`
  unsigned resident_blocks = 0;  ///< blocks per SM of a persistent grid; 0: one block for each item
  unsigned planes = 1;           ///< per image
  unsigned rows_per_query = 0;   ///< of one plane: its heads
  unsigned rows_per_item = 0;    ///< 0: `chunks` items for each plane; both 0: the resident blocks
                                 ///< divide the work without the host
  unsigned chunks = 0;           ///< items per plane when rows_per_item is 0
  unsigned cluster = 0;          ///< blocks per cluster; 0 or 1: none
  unsigned most_workers = 0;     ///< blocks or clusters of the grid at most; 0: no limit
  unsigned dependent = 0;        ///< 1: may begin while the launch before it in the stream runs
};

/// A layered texture of one level: `layers_per_image` * B layers of width x height texels. A texel
/// is four neighbouring channels. The texture unit filters reads bilinearly, 0 outside.
struct TextureShape {
  unsigned width;  ///< 0: no texture
  unsigned height;
  unsigned layers_per_image;
  unsigned bits;  ///< of one channel: 16 or 32, floating point
};

inline constexpr int kBoxLimit = 256;  ///< elements or pixels of a box along any dimension
inline constexpr int kBoxUnit = 16;    ///< bytes that rows, strides and starts are multiples of

/// A level's stored values as a tensor from which TMA copies boxes, innermost dimension first. The
/// last dimension is the image, and a box lies in one image. The first extent counts elements, the
/// others pixels; limits are those of cuTensorMapEncodeTiled (CUDA driver API). Where the level
/// sizes are no constants the tensor is a whole image: its second extent is 0, which the host
/// replaces by the image's pixels, and so is the stride of images.
struct BoxShape {
  unsigned element_bytes;  ///< 0: no tensor
  unsigned rank;           ///< 3 or 4, images included
  unsigned extent[3];      ///< of the dimensions but the images
  unsigned box[3];
  unsigned long long stride_bytes[3];  ///< from the second dimension on
  unsigned long long start_bytes;      ///< of the level in an image
};

/// Where a unit has the level sizes from.
enum LevelsFrom : unsigned { kFixedLevels, kGivenLevels, kStoredLevels };

/// What a kernel that does not know the level sizes may keep of them in shared memory.
struct ResidentBudget {
  unsigned pixel_bytes;  ///< 0: no level
  unsigned bytes;
};

/// A slot's part of a block's dynamic shared memory.
struct SharedPart {
  unsigned first;  ///< byte
  unsigned bytes;  ///< 0: none
};

/// A short text in a compiled module.
struct Remark {
  char text[120];  ///< with its null; empty: nothing to say
};

/// When the host clears a workspace.
enum Zeroed : unsigned {
  kNeverZeroed,
  kZeroedEachLaunch,
  kZeroedOnce  ///< when it is allocated: a launch finds what earlier launches left
};

/// When a slot's pass is launched, seen from the main kernel.
enum Pass : int { kBefore, kAfter, kPasses };

/// A composition: its main kernel, and for each slot perhaps a workspace, and a pass before or
/// after the main kernel. Passes are launched in the order of their slots. What a slot's passes
/// write into its workspace, and what each accumulated output is cleared to before them, the
/// kernels after them find there.
struct LaunchPlan {
  LaunchShape main;
  unsigned tensors;  ///< that the kernels take: kTensors of their arguments
  Extent workspace[kMostSlots];
  unsigned zeroed[kMostSlots];            ///< a Zeroed: when the workspace is cleared
  LaunchShape pass[kPasses][kMostSlots];  ///< threads 0: none
  /// Bit n: the kernels write each element of the accumulated tensor n without reading it first,
  /// so that the launcher need not clear it.
  unsigned overwritten;
  /// The tensor that textures, boxes and texels show.
  unsigned viewed_tensor;
  /// 1 + the slot whose workspace the main kernel reads in its place, made by the slot's pass
  /// before; 0: none
  unsigned viewed_workspace;
  TextureShape texture[kLevelLimit];
  BoxShape boxes[kLevelLimit];
  /// Bytes of a texel in a linear texture of the stored values: 1, 2, 4, 8 or 16; 0: no view
  unsigned texel_bytes[kTexelViews];
  /// 1 + the tensor that the main kernel keeps in the persisting part of L2; 0: none
  unsigned persisting_tensor;
  /// 1 + the slot whose pass before is a part of the main kernel, and counted with it; 0: none
  unsigned divided;
  /// Bit n: the pass before of slot n may run beside the main kernel, and the clearing of its
  /// workspace and of accumulated outputs, too. Neither reads what the other writes.
  unsigned beside;
  SharedPart shared[kMostSlots];   ///< of the main kernel, or of the pass that is a part of it
  unsigned levels;                 ///< a LevelsFrom
  ResidentBudget resident;         ///< of run-time level sizes; main.shared_bytes includes it all
  unsigned tile_rows;              ///< rows that a block computes at a time; 0: no tiles
  unsigned point_bytes;            ///< bytes of values that a lane reads for a point
  unsigned resident_arrives_late;  ///< 1: a tile may start before the resident levels have
                                   ///< arrived in shared memory
  Remark idle[kMostSlots];         ///< why the slot's policy has nothing to do in this composition
};

#if defined(__CUDACC__)
#define MSDA_HOST_DEVICE __host__ __device__
#else
#define MSDA_HOST_DEVICE
#endif

/// A pass in a grid-stride loop.
MSDA_HOST_DEVICE constexpr LaunchShape grid_stride_shape(unsigned threads,
                                                         unsigned resident_blocks) {
  return {.threads = threads, .resident_blocks = resident_blocks};
}

MSDA_HOST_DEVICE constexpr long long rows_per_plane(const LaunchShape& shape, long long queries) {
  return queries * shape.rows_per_query;
}

MSDA_HOST_DEVICE constexpr long long items_per_plane(const LaunchShape& shape, long long queries) {
  const long long rows = rows_per_plane(shape, queries);
  if (shape.rows_per_item == 0) return rows < shape.chunks ? rows : shape.chunks;
  return (rows + shape.rows_per_item - 1) / shape.rows_per_item;
}

MSDA_HOST_DEVICE constexpr long long item_count(const LaunchShape& shape, long long batch,
                                                long long queries) {
  return batch * shape.planes * items_per_plane(shape, queries);
}

}  // namespace msda
