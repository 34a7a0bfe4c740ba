// The interface of a unit compiled for the host to the executor that runs its threads
// (core/src/device/simt): a table of functions, which the program fills when it loads the unit.
// Both sides include this file, so it includes nothing and has the layout of C.
#pragma once

namespace msda::simt::host {

/// A line of device code.
struct Where {
  const char* file;
  int line;
};

/// As a default argument: the line of the call.
constexpr Where here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return {file, line};
}

/// The state of a thread.
struct ThreadState {
  unsigned thread;        ///< in its block
  unsigned threads;       ///< of the block
  unsigned block;         ///< in the grid
  unsigned blocks;        ///< of the grid
  unsigned cluster_rank;  ///< of the block in its cluster
  unsigned cluster;       ///< blocks of the cluster
  unsigned char* shared;  ///< dynamic shared memory of the block
  unsigned long stack;    ///< address of its own stack, where nothing is checked
  unsigned long stack_bytes;
};

/// How memory is accessed; a union of bits.
enum AccessKind : unsigned { kRead = 1, kWrite = 2, kAtomic = 4, kUnaligned = 8 };

/// The cache hint of a load or store of global memory (ptx/memory.cuh).
enum Hint : unsigned {
  kPlain,
  kReadOnly,
  kInL1,
  kGeneric,
  kInL2,
  kNoAllocate,
  kPrefetch64,
  kPrefetch128,
  kPrefetch256,
  kEvictFirst,
  kEvictLast,
  kOnce,
  kStreaming,
  kTexel,  ///< by a fetch of the texture unit
  kHintCount
};

/// The instruction of an asynchronous copy; a bulk reduction goes from shared to global memory.
enum CopyKind : unsigned { kCpAsync, kBulkCopy, kTensorCopy, kBulkReduction, kCopyKinds };

/// Counted events other than accesses, copies and barriers.
enum Event : unsigned {
  kShuffle,      ///< of a lane
  kShuffleOwn,   ///< from the lane itself
  kShuffleSame,  ///< of a value that the lane has already
  kWarpBarrier,  ///< of a lane
  kMbarrierArrival,
  kMbarrierWait,
  kFlagRaise,
  kFlagWait,
  kAtomicUpdate,
  kTextureFetch,
  kTextureBlend,  ///< a fetch of more than one texel
  kTextureStore,
  kMatrixProduct,  ///< of a warp
  kPairFma,        ///< of two 16-bit numbers at a time
  kIntegerDot,     ///< of two weights and two codes
  kMapPrefetch,
  kLaunchRelease,  ///< the next launch may begin
  kLaunchWait,     ///< for the launch before
  kEventCount
};

/// A meeting of lanes of a warp. After all lanes of `mask` have called, `join` is called once with
/// the address of each lane (null for lanes outside the mask).
struct Meeting {
  Where where;
  const char* what;  ///< "shuffle", "warp barrier": must be the same for all lanes
  unsigned mask;
  void* mine;
  void (*join)(void* const* lanes, unsigned mask);  ///< may be null
};

/// A barrier of threads of one block, or of all blocks of the cluster.
struct BarrierCall {
  Where where;
  const char* what;
  int id;            ///< 0 .. 15: of the block; kClusterBarrier
  unsigned threads;  ///< that take part; 0: all
  bool waits;        ///< false: only arrives
};
inline constexpr int kClusterBarrier = 16;
inline constexpr int kBarriers = 17;

/// A condition that a thread waits for. Any thread of the program calls `holds` and `describe`,
/// with `subject` and `argument`.
struct Condition {
  Where where;
  const char* what;
  const void* subject;
  unsigned argument;
  bool (*holds)(const void* subject, unsigned argument);
  /// Writes what is still missing, as a text of at most `size` bytes with its null.
  void (*describe)(const void* subject, unsigned argument, char* text, unsigned size);
};

/// Called when asynchronous copies are complete; `act` may be null.
struct Completion {
  void (*act)(void* subject, unsigned argument);
  void* subject;
  unsigned argument;
};

/// A part of an asynchronous copy; null copies zeros.
struct CopyPart {
  void* to;
  const void* from;
  unsigned bytes;
};

/// A bulk reduction of `bytes` bytes from shared to global memory. `add` makes it, as one step that
/// nothing interrupts.
struct Reduction {
  Where where;
  void* global;
  const void* shared;
  unsigned bytes;
  void (*add)(void* global, const void* shared, unsigned bytes);
};

/// A texture of `layers` layers of height x width texels of four channels. Texture and surface
/// objects are addresses of these.
struct Texture {
  unsigned char* texels;
  unsigned width;
  unsigned height;
  unsigned layers;
  unsigned bits;  ///< of a channel: 16 or 32, floating point
};

/// Memory as `texels` texels of `texel_bytes` bytes in a row. Its texture object is its address.
struct LinearTexture {
  const unsigned char* first;
  unsigned long long texels;
  unsigned texel_bytes;
};

/// A tensor for TMA, innermost dimension first; lies where a TensorMap does.
struct Tensor {
  const unsigned char* first;
  unsigned rank;
  unsigned element_bytes;
  unsigned extent[4];
  unsigned box[4];  ///< 1 in dimensions beyond the rank
  unsigned long long stride_bytes[3];
};

/// Functions that find a fault do not return: the executor ends the launch.
struct Executor {
  ThreadState* const* current;  ///< the thread that runs
  long long* slice;             ///< basic blocks that it may still run before `end_slice`
  void (*end_slice)(const void* pc);
  /// Before an access, with the address of the code that makes it.
  void (*access)(const void* address, unsigned long bytes, unsigned kind, const void* pc);
  /// A fault that device code finds by itself.
  void (*fail)(Where where, const char* what);
  void (*meet)(const Meeting* meeting);
  void (*barrier)(const BarrierCall* call);
  void (*wait)(const Condition* condition);
  /// The thread tests a subject without waiting.
  void (*look)(const void* subject);
  /// Orders this thread's earlier accesses before `subject` (release), or the accesses that were
  /// released to `subject` before this thread's later ones (acquire).
  void (*release)(const void* subject);
  void (*acquire)(const void* subject);
  /// Begins a copy that belongs to the thread's open group.
  void (*copy)(Where where, void* shared, const void* global, unsigned bytes);
  void (*cp_async_commit_group)();
  void (*cp_async_wait_group)(int pending);
  /// When all of the thread's copies begun so far are complete.
  void (*cp_async_mbarrier_arrive)(const Completion* completion);
  /// Begins bulk copies, which the executor completes at a time of its choice.
  void (*cp_async_bulk)(Where where, CopyKind kind, const CopyPart* parts, unsigned count,
                        const Completion* completion);
  /// Begins a bulk reduction that belongs to the thread's open group of these. Its access of global
  /// memory has been told.
  void (*cp_reduce_async_bulk)(const Reduction* reduction);
  void (*cp_async_bulk_commit_group)();
  void (*cp_async_bulk_wait_group_read)(int pending);
  /// The address of block `rank`'s byte at the offset of `shared` in this block's shared memory.
  void* (*mapa)(Where where, const void* shared, unsigned rank);
  /// An mbarrier was initialised; this thread's mbarriers are made visible to the TMA.
  void (*init_barrier)(const void* barrier);
  void (*fence_mbarrier_init)();
  /// Orders earlier accesses of shared memory before bulk copies and reductions that this thread
  /// begins later.
  void (*fence_proxy_async)();
  /// The hint of the accesses that follow, until it is kPlain again.
  Hint* hint;
  /// Counts an event of `subject`, a barrier or flag, or null.
  void (*count)(Event event, const void* subject, unsigned long times);
  /// From now on the thread may touch global memory, in a launch that may begin early.
  void (*griddepcontrol_wait)();
  /// The thread begins a tile of rows, perhaps the first tile of a work item.
  void (*begin_tile)(bool first);
  /// The order of an image's `queries` has `query` at `position`.
  void (*note_order)(long long image, long long queries, long long position, long long query);
  /// A clock: basic blocks that threads of the cluster have run.
  unsigned long long (*steps)();
  /// Orders this thread's earlier accesses of global memory before later ones, for the whole GPU.
  void (*threadfence)();
  /// A line that the thread prints.
  void (*print)(const char* line);
};

}  // namespace msda::simt::host
