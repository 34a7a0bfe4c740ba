// The memory that a launch may touch: buffers in global memory, and the shared memory of a
// cluster's blocks with a mark for each byte that was written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/simt/fences.hpp"

namespace msda::simt {

/// What a buffer holds that is told apart when accesses are counted.
enum class Area { kOther, kValue, kLocations, kOutput };

/// A run of global memory.
struct Buffer {
  const void* data = nullptr;
  std::size_t bytes = 0;
  std::string name;  ///< for messages, "value"
  bool writable = false;
  std::string counted_as{};  ///< first part of the numbers' names, "workspace.metadata"; empty: not
  Area area = Area::kOther;
  bool is_free = false;  ///< of what a dependent launch has to wait for

  std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(data); }
  std::uintptr_t end() const { return begin() + bytes; }
};

class GlobalMemory {
 public:
  explicit GlobalMemory(std::vector<Buffer> buffers);
  /// The buffer that holds [address, address + bytes), or nullptr.
  const Buffer* find(std::uintptr_t address, std::size_t bytes);
  /// How often find() found each buffer, by name: every access asks.
  std::map<std::string, std::uint64_t> accesses() const;
  /// The cluster other than `cluster` that wrote one of the bytes, which all lie in the buffer,
  /// not atomically like this access and not before it by way of fences; notes a write. For a
  /// launch whose races are looked for.
  std::optional<unsigned> other_writer(const Buffer& buffer, std::uintptr_t address,
                                       std::size_t bytes, unsigned kind, unsigned cluster);
  /// The cluster comes to a fence of the whole GPU.
  void fence(unsigned cluster) { fences_.fence(cluster); }
  /// "12 bytes past the end of 'value' (4096 bytes)": where a lost address lies.
  std::string describe(std::uintptr_t address) const;

 private:
  /// Of a byte that was written; cluster kNobody of others.
  struct Writer {
    static constexpr std::uint32_t kNobody = 0x7fffffff;
    std::uint32_t cluster : 31 = kNobody;
    std::uint32_t atomic : 1 = 0;
    std::uint32_t fences = 0;  ///< that the cluster had passed
  };

  struct Range {
    std::uintptr_t begin;
    std::uintptr_t end;
  };

  std::vector<Buffer> buffers_;               ///< by address
  std::vector<Range> ranges_;                 ///< of the buffers
  std::vector<std::vector<Writer>> writers_;  ///< by buffer and byte, once one was written
  Fences fences_;
  std::vector<std::uint64_t> accesses_;  ///< of each buffer
  std::size_t last_ = 0;                 ///< where the last address was found
};

/// What is known of a byte of shared memory.
enum class Mark : unsigned char {
  kNothing,
  kWritten,
  kUnderWay
};  ///< kUnderWay: a copy goes there

/// Dynamic shared memory of all blocks of a cluster, far enough from each other that an index that
/// is a little wrong hits none.
class SharedMemory {
 public:
  static constexpr std::size_t kStride = std::size_t{1} << 20U;  ///< from block to block

  SharedMemory(unsigned blocks, std::size_t bytes);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  /// Contents and marks as a new block finds them: nothing written, every byte 0xFF.
  void clear();
  unsigned char* block(unsigned rank) const { return base_ + rank * kStride; }
  std::size_t bytes() const { return bytes_; }
  std::size_t size() const { return blocks_ * kStride; }
  /// Byte of the whole region, guards included; size() or more outside.
  std::size_t offset(std::uintptr_t address) const {
    return address - reinterpret_cast<std::uintptr_t>(base_);
  }
  /// True when all bytes lie in one block's part.
  bool contains(std::size_t offset, std::size_t bytes) const {
    return offset < size() && offset % kStride + bytes <= bytes_;
  }
  /// kWritten when all bytes are, else what the first other one is.
  Mark mark_of(std::size_t offset, std::size_t bytes) const;
  void mark(std::size_t offset, std::size_t bytes, Mark mark);
  /// Epochs are counted: an access belongs to the one that is current.
  void note_access(std::size_t offset, std::size_t bytes) {
    std::fill_n(accessed_.begin() + static_cast<std::ptrdiff_t>(index(offset)), bytes, epoch_);
  }
  /// The epoch of the last access of any of the bytes; 0 when there was none.
  std::uint32_t accessed(std::size_t offset, std::size_t bytes) const {
    const auto first = accessed_.begin() + static_cast<std::ptrdiff_t>(index(offset));
    return *std::max_element(first, first + static_cast<std::ptrdiff_t>(bytes));
  }
  /// Ends the current epoch and returns it.
  std::uint32_t next_epoch() { return epoch_++; }
  /// Number of a byte of any block among the bytes of all blocks; a word's is a multiple of its
  /// bytes.
  std::size_t index(std::size_t offset) const {
    return offset / kStride * padded_ + offset % kStride;
  }
  std::size_t count() const { return blocks_ * padded_; }  ///< of all numbers

 private:
  unsigned blocks_;
  std::size_t bytes_;   ///< of a block
  std::size_t padded_;  ///< to whole words
  unsigned char* base_ = nullptr;
  std::vector<Mark> marks_;              ///< by index()
  std::vector<std::uint32_t> accessed_;  ///< epochs, by index()
  std::uint32_t epoch_ = 1;
};

}  // namespace msda::simt
