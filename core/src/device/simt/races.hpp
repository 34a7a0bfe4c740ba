// Shared-memory races: two accesses of a byte, one of them a write, that nothing orders. Vector
// clocks: each thread knows up to which of every other thread's moments it has been told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace msda::simt {

using Clock = std::vector<std::uint32_t>;  ///< by thread of the cluster

/// What an access meets that nothing orders before it.
struct Conflict {
  std::size_t thread = 0;  ///< of the cluster
  bool wrote = false;
  const void* pc = nullptr;  ///< null for an asynchronous copy
};

class Races {
 public:
  Races(std::size_t threads, std::size_t bytes);

  /// A thread's access of a byte at its own moment, or at `clock`.
  std::optional<Conflict> access(std::size_t thread, const Clock& clock, std::size_t byte,
                                 bool writes, bool atomic, const void* pc);
  const Clock& clock(std::size_t thread) const { return clocks_[thread]; }

  /// `subject` learns what `clock` knows.
  void release(const void* subject, const Clock& clock);
  /// A new moment begins for the thread: what it does from now on, those that know of it so far do
  /// not know of.
  void advance(std::size_t thread) { ++clocks_[thread][thread]; }
  void acquire(std::size_t thread, const void* subject);
  void forget(const void* subject) { subjects_.erase(subject); }

 private:
  struct Access {
    std::uint32_t thread;
    std::uint32_t moment;
    bool atomic;
    const void* pc;
  };
  struct Byte {
    std::optional<Access> write;
    std::vector<Access> reads;  ///< since the write, one for each thread
  };

  std::vector<Clock> clocks_;
  std::vector<Byte> bytes_;
  std::map<const void*, Clock> subjects_;
};

}  // namespace msda::simt
