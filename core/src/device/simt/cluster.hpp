// The blocks of one cluster (often one block), run to their end: a fiber for each thread, resumed
// in rounds. A thread runs until it waits, ends, or has used up its slice.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "device/simt/fiber.hpp"
#include "device/simt/launch.hpp"
#include "device/simt/memory.hpp"
#include "device/simt/races.hpp"
#include "device/simt/recorder.hpp"
#include "device/simt/stacks.hpp"

namespace msda::simt {

/// A barrier of a block, or that of the cluster, in its current phase.
struct BarrierState {
  std::vector<Fiber*> arrived;  ///< those that only arrived included
  std::vector<Clock> clocks;    ///< of their arrivals, where races are looked for
  unsigned expected = 0;
};

/// A bulk copy, or copies that something else waits for.
struct Transfer {
  const Fiber* owner = nullptr;  ///< that waits for it; null when only a barrier does
  Clock begun;                   ///< of who makes it, where races are looked for
  std::vector<Copy> parts;
  host::Completion completion{};
  bool bulk = false;       ///< by the asynchronous proxy
  std::size_t number = 0;  ///< of those of the cluster, in the order of their beginnings
  unsigned looks = 0;      ///< of threads that had looked before and did not wait for it
};

class Cluster {
  /// As many mbarriers have an agent each; more share them.
  static constexpr std::size_t kAgents = 32;

 public:
  Cluster(const Grid& grid, const void* arguments, const Image& image, GlobalMemory& global,
          const Options& options);
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  ~Cluster();

  /// Runs blocks [first, first + grid.cluster). Throws Fault.
  void run(unsigned first);

  /// The cluster that runs in this thread of the program.
  static Cluster* running();
  /// Has the table lead to what the threads of this cluster know of themselves.
  void enter_into(host::Executor& table);
  const std::optional<Recorder>& recorder() const { return recorder_; }

  // What threads call, by way of the table.
  unsigned long long steps() const;
  void threadfence();
  void print(const char* line) const;
  void end_slice(const void* pc);
  void access(std::uintptr_t address, std::size_t bytes, unsigned kind, const void* pc);
  void meet(const host::Meeting& meeting);
  void barrier(const host::BarrierCall& call);
  void wait(const host::Condition& condition);
  void look(const void* subject);
  void release(const void* subject);
  void acquire(const void* subject);
  void copy(host::Where where, void* shared, const void* global, unsigned bytes);
  void cp_async_commit_group();
  void cp_async_wait_group(int pending);
  void cp_async_mbarrier_arrive(const host::Completion& completion);
  void cp_async_bulk(host::Where where, host::CopyKind kind, const host::CopyPart* parts,
                     unsigned count, const host::Completion& completion);
  void cp_reduce_async_bulk(const host::Reduction& call);
  void cp_async_bulk_commit_group();
  void cp_async_bulk_wait_group_read(int pending);
  void* mapa(host::Where where, const void* shared, unsigned rank);
  void init_barrier(const void* barrier);
  void fence_mbarrier_init();
  void fence_proxy_async();
  void count(host::Event event, const void* subject, std::uint64_t times);
  void griddepcontrol_wait();
  void begin_tile(bool first);
  void note_order(std::int64_t image, std::int64_t queries, std::int64_t position,
                  std::int64_t query);
  void fail(host::Where where, const char* what);

 private:
  // cluster.cpp: threads and their order
  void run_threads();
  void abandon();
  void switch_to(Fiber& fiber);
  void start(Fiber& fiber, unsigned first_block, unsigned index);
  void resume(Fiber& fiber);
  void leave();  ///< back to the scheduler; returns when the thread is resumed
  bool run_round();
  bool satisfy_conditions();
  void note_progress() { steps_since_progress_ = 0; }
  void new_slice();
  [[noreturn]] void fault(Diagnosis diagnosis, const std::string& text);
  Fiber& fiber_of(unsigned rank, unsigned thread) { return fibers_[rank * grid_.threads + thread]; }

  // rendezvous.cpp
  void check_mask(const host::Meeting& meeting);
  void check_who_waits_for(const Fiber& gone);
  BarrierState& state_of(const host::BarrierCall& call, unsigned rank);
  void check_call(const BarrierState& state, const host::BarrierCall& call);

  // access.cpp
  void access_shared(std::size_t offset, std::size_t bytes, unsigned kind, const void* pc);
  void check_race(const Clock& clock, std::size_t offset, std::size_t bytes, unsigned kind,
                  const void* pc);
  void check_global_race(const Buffer& buffer, std::uintptr_t address, std::size_t bytes,
                         unsigned kind, const void* pc);
  void access_global(std::uintptr_t address, std::size_t bytes, unsigned kind, const void* pc);
  /// The running thread may touch the buffer: what is before the launch in its stream has ended.
  bool may_touch(const Buffer& buffer) const;
  [[noreturn]] void fault_dependency(const Buffer& buffer, const std::string& where);

  // leave.cpp
  /// All threads of the block have ended.
  void leave_block(unsigned rank);
  void check_barriers_of(unsigned rank);
  void check_copies_to(unsigned rank);
  void check_reductions_of(unsigned rank);
  void check_reads_of(unsigned rank);

  // copies.cpp
  void begin_copy(const Copy& copy);
  void record_copy(host::CopyKind kind, const Copy& copy);
  /// As of `clock`.
  void make_copy(const Copy& copy, const Clock& clock, bool bulk);
  /// What threads have accessed of these bytes is ordered before what the running thread has the
  /// asynchronous proxy do there. `what`: "a bulk copy".
  void check_proxy(const void* shared, std::size_t bytes, std::string_view what, host::Where place);
  /// Made as of `begun`.
  Transfer begin_transfer(const host::Completion& completion, Clock begun);
  /// Of who makes the bulk copies that complete on a barrier, as races see it: a barrier of the
  /// block tells nobody that a copy has come, only the mbarrier does.
  Clock clock_of_copies(const void* barrier);
  void finish(std::size_t number);
  void finish_copies_of(const Fiber& fiber);

  // reductions.cpp
  /// Adds the numbers, as of the running thread's wait.
  void reduce(const Reduction& reduction);

  // report.cpp
  std::string who_waits();
  std::string waiting_for(const Fiber& fiber);
  [[noreturn]] void report_deadlock();
  static std::size_t number(const Fiber& fiber) { return fiber.number; }
  const Clock& clock_of(const Fiber& fiber) const;
  std::string who(const Fiber& fiber) const;
  /// A thread of the cluster, or an agent.
  std::string who(std::size_t number) const;
  std::string where(host::Where where) const;
  std::string where(const void* pc) const;

  const Grid& grid_;
  const void* arguments_;
  const Image& image_;
  GlobalMemory& global_;
  const Options& options_;
  SharedMemory shared_;
  Stacks stacks_;
  std::vector<Fiber> fibers_;                                        ///< block by block
  std::vector<std::array<BarrierState, host::kBarriers>> barriers_;  ///< by rank
  std::vector<unsigned> alive_in_;                                   ///< threads, by rank
  std::map<const void*, const Fiber*> unpublished_;                  ///< mbarriers
  std::map<const void*, std::size_t> agents_;                        ///< by mbarrier
  std::vector<Transfer> transfers_;
  std::size_t begun_transfers_ = 0;
  unsigned seen_copies_ = 0;  ///< times that copies came to a thread that did not wait
  std::mt19937_64 random_;
  std::optional<Races> races_;
  std::optional<Recorder> recorder_;
  host::ThreadState* current_ = nullptr;
  long long slice_ = 0;
  host::Hint hint_ = host::kPlain;
  const Transfer* finishing_ = nullptr;  ///< whose completion acts
  std::vector<Fiber*> ready_;            ///< of the round
  /// In the order, of the queries that the launch has come to: a few of many, perhaps.
  std::unordered_map<std::uint64_t, std::int64_t> positions_;
  StackSwitch stack_switch_;  ///< of the scheduler
  Fiber* fiber_ = nullptr;    ///< that runs; null while the scheduler does
  std::size_t alive_ = 0;
  std::optional<Fault> fault_;
  std::int64_t slice_length_ = 0;
  std::int64_t steps_since_progress_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace msda::simt
