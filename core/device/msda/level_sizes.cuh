// The sizes of a pyramid's levels as device code sees them: constants of the unit (fixed),
// arguments of the kernel (given), or read from device memory when a block begins (stored).
// `Problem::Sizes` names the form of a run-time unit; a fixed unit has the constants instead.
//
// Code that needs a level's size makes a `typename K::Sizes(arguments)` and asks it for the level:
// at(level) is looked up once for all points of a level, because a look-up for each point inside
// a loop over tiles costs a third of a kernel's time.
#pragma once

#include <msda/level_class.cuh>
#include <msda/simt/thread.cuh>
#include <msda/storage.cuh>

namespace msda {

/// True if the level sizes are constants of the unit.
template <class Problem>
inline constexpr bool kHasFixedLevels = requires {
  Problem::kSpatialSize;
};

/// A level of constant size; its number need not be a constant.
template <class Problem>
struct FixedLevel {
  int number;
  __device__ int width() const { return Problem::width(number); }
  __device__ int height() const { return Problem::height(number); }
};

template <class Problem>
struct FixedSizes {
  static constexpr bool kFixed = true;
  static constexpr bool kStored = false;
  __device__ explicit FixedSizes(const Arguments&) {}
  __device__ static FixedLevel<Problem> at(int level) { return {level}; }
  __device__ static constexpr long long pixels() { return Problem::kSpatialSize; }
};

/// A level of run-time size.
struct LevelAt {
  int columns;
  int rows;
  int start;  ///< stored pixels of the image before the level
  __device__ int width() const { return columns; }
  __device__ int height() const { return rows; }
};

/// Sizes that are arguments of the kernel.
class GivenSizes {
 public:
  static constexpr bool kFixed = false;
  static constexpr bool kStored = false;
  __device__ explicit GivenSizes(const Arguments& arguments) : sizes_(arguments.views.sizes) {}
  __device__ LevelAt at(int level) const {
    return {sizes_.width[level], sizes_.height[level], sizes_.start[level]};
  }
  /// Stored pixels of an image.
  __device__ int pixels() const { return sizes_.pixels; }

 private:
  const LevelSizes& sizes_;
};

/// What a block reads from device memory, at the beginning of its shared memory.
struct alignas(128) LevelTable {
  int width[kLevelLimit];
  int height[kLevelLimit];
  int start[kLevelLimit];
  int structure;  ///< number of the structure that the kernel takes; kNoPyramid
};
inline constexpr int kNoPyramid = -1;
/// What each of so many warps reads, instead.
struct alignas(128) WarpLevels {
  LevelAt level[kLevelLimit];
};
template <int warps>
struct LevelTables {
  WarpLevels of_warp[warps];
};
/// Stands for a slot's number in a block's shared memory: tables are of no slot.
inline constexpr int kLevelTable = -1;

/// Sizes that the block has read (skeleton/stored_levels.cuh).
class StoredSizes {
 public:
  static constexpr bool kFixed = false;
  static constexpr bool kStored = true;
  __device__ explicit StoredSizes(const Arguments& arguments) : sizes_(arguments.views.sizes) {}
  __device__ LevelAt at(int level) const {
    const LevelTable& table = shared_storage<LevelTable>();
    return {table.width[level], table.height[level], table.start[level]};
  }
  __device__ int pixels() const { return sizes_.pixels; }

 private:
  const LevelSizes& sizes_;
};

/// Sizes that the warp has read, each by itself.
class WarpSizes : public StoredSizes {
 public:
  using StoredSizes::StoredSizes;
  __device__ static WarpLevels& table() { return (&shared_storage<WarpLevels>())[simt::warp()]; }
  __device__ LevelAt at(int level) const { return table().level[level]; }
};

/// For a launch plan.
template <class Sizes>
inline constexpr LevelsFrom kLevelsFrom = Sizes::kFixed    ? kFixedLevels
                                          : Sizes::kStored ? kStoredLevels
                                                           : kGivenLevels;

template <class Problem>
struct SizesOf {
  using Type = typename Problem::Sizes;
};
template <class Problem>
requires(kHasFixedLevels<Problem>) struct SizesOf<Problem> {
  using Type = FixedSizes<Problem>;
};

}  // namespace msda
