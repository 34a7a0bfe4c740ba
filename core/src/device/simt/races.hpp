// Shared-memory races: two accesses of a byte, one of them a write, that nothing orders. Vector
// clocks: each thread knows up to which of every other thread's moments it has been told. Threads
// that met know the same, and share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace msda::simt {

using Moments = std::vector<std::uint32_t>;  ///< by thread of the cluster
using Known = std::shared_ptr<const Moments>;

/// A moment of a thread, and what it knows then.
struct Clock {
  std::uint32_t thread = 0;
  std::uint32_t moment = 0;
  Known known;
  bool in_order = true;  ///< behind all of its thread's moments before; an agent's are not

  std::uint32_t operator[](std::size_t other) const {
    return other == thread && in_order ? moment : (*known)[other];
  }
};

/// What all of them know together, each one's own moment included.
Known join(const std::vector<const Clock*>& clocks);

/// What an access meets that nothing orders before it.
struct Conflict {
  std::size_t thread = 0;  ///< of the cluster, or an agent's number
  bool wrote = false;
  const void* pc = nullptr;  ///< null for an asynchronous copy
};

class Races {
 public:
  /// Agents do what threads begin and do not wait for; their numbers follow the threads'.
  Races(std::size_t threads, std::size_t agents, std::size_t bytes);

  /// A thread's access of a byte, at the moment that `clock` says.
  std::optional<Conflict> access(const Clock& clock, std::size_t byte, bool writes, bool atomic,
                                 const void* pc);
  /// A read or write of the byte by a thread outside [first, last) that those who know `known` have
  /// not been told of.
  std::optional<Conflict> untold(const Moments& known, std::size_t byte, std::size_t first,
                                 std::size_t last) const;
  const Clock& clock(std::size_t thread) const { return clocks_[thread]; }
  /// Of what the agent does for the thread: it comes behind all that the thread knows, and only who
  /// is told of the agent comes behind it.
  Clock delegate(std::size_t thread, std::size_t agent);

  /// `subject` learns what `clock` knows.
  void release(const void* subject, const Clock& clock);
  /// A new moment begins for the thread: what it does from now on, those that know of it so far do
  /// not know of.
  void advance(std::size_t thread) { ++clocks_[thread].moment; }
  void acquire(std::size_t thread, const void* subject);
  /// What any of the threads did before comes before what each of them does later.
  void meet(const std::vector<std::size_t>& threads);
  /// The thread learns what is known, which is all that it knows and perhaps more.
  void teach(std::size_t thread, const Known& known) { clocks_[thread].known = known; }

 private:
  struct Access {
    std::uint32_t thread;
    std::uint32_t moment;
    bool atomic;
    const void* pc;
  };
  struct Byte {
    std::optional<Access> write;
    std::vector<Access> reads;  ///< since the write
  };
  /// Leaves out the reads that a read by the thread of `clock` stands for: what is ordered behind
  /// that one is behind them too. Of each thread's others the last is left.
  static void forget(std::vector<Access>& reads, const Clock& clock, bool atomic);

  /// What a barrier or flag has gathered. The last that was added and the last that was taught are
  /// kept: threads that met before come one after another.
  struct Subject {
    Moments gathered;
    Known added;
    Known before;
    Known after;  ///< `before` and `gathered` together; null when one has changed
  };

  std::vector<Clock> clocks_;
  std::vector<Byte> bytes_;
  std::map<const void*, Subject> subjects_;
};

}  // namespace msda::simt
