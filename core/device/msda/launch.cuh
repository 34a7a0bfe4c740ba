// What the host must know to launch a composition, computed by the device headers at compile time
// and read by the host from the compiled module: geometry is decided in one place. Host and device
// share this file, so it includes nothing.
#pragma once

namespace msda {

/// Slots of the direct skeleton, in the order in which their pre-passes run, and then those that
/// the specialised skeleton adds.
enum Slot : int {
  kArithmetic,
  kLayout,
  kSource,
  kMapping,
  kOrder,
  kSchedule,
  kMetadata,
  kPipeline,
  kCache,
  kUnroll,
  kFetch,
  kRoles,
  kHandover,
  kSlotCount
};

inline constexpr int kLevelLimit = 8;  ///< levels that a problem may have

/// A CUtensorMap: the driver's description of a tensor for TMA.
struct alignas(64) TensorMap {
  unsigned long long opaque[16];
};

/// By-value argument of every kernel of a composition. Shapes as in problem.hpp.
struct Arguments {
  const void* value;
  const void* locations;
  const void* weights;
  void* output;
  long long batch;              ///< B
  long long queries;            ///< Q
  void* workspace[kSlotCount];  ///< of the slot's policy, sized by its Extent; null without one
  unsigned long long texture[kLevelLimit];  ///< texture objects that the plan asks for
  unsigned long long surface[kLevelLimit];  ///< the same arrays, for writing
  const TensorMap* maps;  ///< one for each level that the plan asks for; null without one
};

/// Bytes of workspace as a function of the run-time sizes: the sum of the three parts.
struct Extent {
  long long fixed;
  long long per_image;  ///< times B
  long long per_query;  ///< times B * Q
};

/// One launch. Work is cut into items; an item is a run of rows of one plane of one image. A row is
/// one output vector (b, q, h); a plane is all rows of an image, or those of one head or channel
/// block.
struct LaunchShape {
  unsigned threads;          ///< per block
  unsigned shared_bytes;     ///< dynamic, per block
  unsigned resident_blocks;  ///< blocks per SM of a persistent grid; 0: one block for each item
  unsigned planes;           ///< per image
  unsigned rows_per_query;   ///< rows of one plane for each query: H, or 1 when planes are by head
  unsigned rows_per_item;  ///< 0: `chunks` items for each plane; both 0: all resident blocks, which
                           ///< divide the work by themselves
  unsigned chunks;         ///< items per plane when rows_per_item is 0
  unsigned cluster;        ///< blocks per cluster; 0 or 1: none
  unsigned most_workers;   ///< blocks or clusters of the grid at most; 0: no limit
};

/// A layered texture of one level: `layers_per_image` * B layers of width x height texels, each of
/// four neighbouring channels, read with hardware bilinear filtering, zero outside.
struct TextureShape {
  unsigned width;  ///< 0: no texture
  unsigned height;
  unsigned layers_per_image;
  unsigned bits;  ///< of one channel: 16 or 32, floating point
};

/// A level's stored values as a tensor from which TMA copies boxes, innermost dimension first; the
/// images are the last dimension, and a box lies in one of them. Extents and box in elements, then
/// pixels.
struct BoxShape {
  unsigned element_bytes;  ///< 0: no tensor
  unsigned rank;           ///< 3 or 4, images included
  unsigned extent[3];      ///< of the dimensions but the images
  unsigned box[3];
  unsigned long long stride_bytes[3];  ///< from the second dimension on
  unsigned long long start_bytes;      ///< of the level in an image
};

/// A whole composition: the main kernel, and for each slot a workspace and perhaps a pre-pass.
struct LaunchPlan {
  LaunchShape main;
  Extent workspace[kSlotCount];
  unsigned zeroed[kSlotCount];       ///< 1 when the workspace is cleared before each launch
  unsigned has_prepass[kSlotCount];  ///< 1 when prepass[slot] is launched before the main kernel
  LaunchShape prepass[kSlotCount];
  TextureShape texture[kLevelLimit];
  BoxShape boxes[kLevelLimit];
  /// 1: the main kernel keeps the value tensor in the persisting part of L2
  unsigned persist_value;
};

#if defined(__CUDACC__)
#define MSDA_HOST_DEVICE __host__ __device__
#else
#define MSDA_HOST_DEVICE
#endif

/// Size of a slot's part of shared memory, each of which begins at a multiple of 128 bytes.
MSDA_HOST_DEVICE constexpr unsigned align_shared(unsigned bytes) {
  return (bytes + 127U) / 128U * 128U;
}

/// A pre-pass whose threads walk over all work with the stride of the grid.
MSDA_HOST_DEVICE constexpr LaunchShape grid_stride_shape(unsigned threads,
                                                         unsigned resident_blocks) {
  return {threads, 0, resident_blocks, 1, 0, 0, 0, 0, 0};
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
