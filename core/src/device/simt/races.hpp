// Shared-memory races: two accesses of a byte, one of them a write, that nothing orders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "device/simt/history.hpp"

namespace msda::simt {

/// What all of them know together, each one's own moment included.
Known join(const std::vector<const Clock*>& clocks);

class Races {
 public:
  /// Agents do what threads begin and do not wait for; their numbers follow the threads'.
  Races(std::size_t threads, std::size_t agents, std::size_t bytes);

  /// Nothing has happened yet.
  void clear();
  History& history() { return history_; }
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
  /// What a barrier or flag has gathered. The last that was added and the last that was taught are
  /// kept: threads that met before come one after another.
  struct Subject {
    Moments gathered;
    Known added;
    Known before;
    Known after;  ///< `before` and `gathered` together; null when one has changed
  };

  std::vector<Clock> clocks_;
  History history_;
  std::map<const void*, Subject> subjects_;
};

}  // namespace msda::simt
