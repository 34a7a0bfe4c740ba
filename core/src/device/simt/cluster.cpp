#include "device/simt/cluster.hpp"

#include <fmt/format.h>
#include <boost/context/preallocated.hpp>

#include <algorithm>
#include <utility>

namespace msda::simt {
namespace {

thread_local Cluster* running_cluster = nullptr;

/// Basic blocks of a slice: long with seed 0, which runs a thread for as long as it can; otherwise
/// of any length, so that threads are interrupted anywhere.
constexpr std::int64_t kLongSlice = 50'000;
constexpr std::int64_t kShortSlices = 2'000;

/// Thrown where a thread that is given up was interrupted, and caught at its beginning.
struct Abandoned {};

}  // namespace

Cluster* Cluster::running() { return running_cluster; }

void Cluster::enter_into(host::Executor& table) {
  table.current = &current_;
  table.slice = &slice_;
  table.hint = &hint_;
}

Cluster::Cluster(const Grid& grid, const void* arguments, const Image& image, GlobalMemory& global,
                 const Options& options)
    : grid_(grid),
      arguments_(arguments),
      image_(image),
      global_(global),
      options_(options),
      shared_(grid.cluster, grid.shared_bytes),
      stacks_(std::size_t{grid.cluster} * grid.threads),
      barriers_(grid.cluster),
      random_(options.seed) {
  if (grid.counted) recorder_.emplace(*grid.counted, std::size_t{grid.cluster} * grid.threads);
  if (options.races) {
    races_.emplace(std::size_t{grid.cluster} * grid.threads, kAgents, shared_.count());
  }
  running_cluster = this;
}

Cluster::~Cluster() { running_cluster = nullptr; }

void Cluster::start(Fiber& fiber, unsigned first_block, unsigned index) {
  const unsigned rank = index / grid_.threads;
  fiber.number = index;
  const boost::context::stack_context stack = stacks_.at(index);
  fiber.state = {.thread = index % grid_.threads,
                 .threads = grid_.threads,
                 .block = first_block + rank,
                 .blocks = grid_.blocks,
                 .cluster_rank = rank,
                 .cluster = grid_.cluster,
                 .shared = shared_.block(rank),
                 .stack = reinterpret_cast<std::uintptr_t>(stacks_.bottom(index)),
                 .stack_bytes = stack.size};
  fiber.context = boost::context::fiber(
      std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack), KeptStack{},
      [this, &fiber](boost::context::fiber&& scheduler) {
        after_switch(fiber.stack_switch);
        fiber.scheduler = std::move(scheduler);
        try {
          if (!fiber.abandoned) grid_.kernel(arguments_);
        } catch (const Abandoned&) {
        }
        fiber.status = Status::kDone;
        const StackSwitch& back = fiber.stack_switch;
        before_switch(fiber.stack_switch, back.other_bottom, back.other_size, true);
        return std::move(fiber.scheduler);
      });
}

void Cluster::run(unsigned first) {
  shared_.clear();
  fibers_ = std::vector<Fiber>(std::size_t{grid_.cluster} * grid_.threads);
  alive_ = fibers_.size();
  alive_in_.assign(grid_.cluster, grid_.threads);
  seen_copies_ = first;  // other blocks, the other way round
  unpublished_.clear();
  agents_.clear();
  if (races_) races_->clear();
  for (unsigned i = 0; i < fibers_.size(); ++i) start(fibers_[i], first, i);
  try {
    run_threads();
  } catch (...) {
    abandon();
    throw;
  }
}

/// Unwinds every thread that has not ended.
void Cluster::abandon() {
  for (Fiber& fiber : fibers_) {
    if (fiber.status == Status::kDone) continue;
    fiber.abandoned = true;
    switch_to(fiber);
  }
}

void Cluster::run_threads() {
  while (alive_ > 0) {
    const bool ran = run_round();
    const bool transfer_ends =
        !transfers_.empty() && (!ran || (options_.seed != 0 && random_() % 2 == 0));
    if (transfer_ends) finish(options_.seed == 0 ? 0 : random_() % transfers_.size());
    const bool woke = satisfy_conditions();
    if (!ran && !transfer_ends && !woke) report_deadlock();
  }
  while (!transfers_.empty()) finish(0);
  if (recorder_) recorder_->end_cluster(fibers_);
}

/// Resumes each thread that can run once. False when none could.
bool Cluster::run_round() {
  ready_.clear();
  for (Fiber& fiber : fibers_) {
    if (fiber.status == Status::kReady) ready_.push_back(&fiber);
  }
  if (options_.seed != 0) std::shuffle(ready_.begin(), ready_.end(), random_);
  for (Fiber* fiber : ready_) resume(*fiber);
  return !ready_.empty();
}

void Cluster::resume(Fiber& fiber) {
  fiber_ = &fiber;
  current_ = &fiber.state;
  new_slice();
  switch_to(fiber);
  fiber_ = nullptr;
  steps_ += slice_length_ - slice_;
  if (fault_) throw Fault(*std::exchange(fault_, std::nullopt));
  if (fiber.status == Status::kDone) {
    --alive_;
    note_progress();
    finish_copies_of(fiber);
    check_who_waits_for(fiber);
    if (--alive_in_[fiber.state.cluster_rank] == 0) leave_block(fiber.state.cluster_rank);
  }
}

void Cluster::switch_to(Fiber& fiber) {
  before_switch(stack_switch_, stacks_.bottom(fiber.number), fiber.state.stack_bytes);
  fiber.context = std::move(fiber.context).resume();
  after_switch(stack_switch_);
}

void Cluster::leave() {
  Fiber& fiber = *fiber_;
  before_switch(fiber.stack_switch, fiber.stack_switch.other_bottom, fiber.stack_switch.other_size);
  fiber.scheduler = std::move(fiber.scheduler).resume();
  after_switch(fiber.stack_switch);
  if (fiber.abandoned) throw Abandoned{};
}

void Cluster::new_slice() {
  slice_length_ =
      options_.seed == 0 ? kLongSlice : 1 + static_cast<std::int64_t>(random_() % kShortSlices);
  slice_ = slice_length_;
}

unsigned long long Cluster::steps() const {
  return static_cast<unsigned long long>(steps_ + slice_length_ - slice_);
}

void Cluster::end_slice(const void* pc) {
  if (fiber_ == nullptr) return;  // the unit's code, called by the executor
  fiber_->stopped_at = pc;
  steps_since_progress_ += slice_length_;
  const std::int64_t spin_steps =
      std::max(options_.spin_steps,
               options_.spin_steps_of_thread * static_cast<std::int64_t>(fibers_.size()));
  if (steps_since_progress_ > spin_steps || steps_ > options_.total_steps) {
    fault(Diagnosis::kSpin, fmt::format("the threads run on without writing or waiting; in {}\n{}",
                                        where(pc), who_waits()));
  }
  leave();
}

bool Cluster::satisfy_conditions() {
  bool woke = false;
  for (Fiber& fiber : fibers_) {
    if (fiber.status != Status::kAtCondition) continue;
    if (!fiber.condition.holds(fiber.condition.subject, fiber.condition.argument)) continue;
    fiber.status = Status::kReady;
    if (races_) races_->acquire(number(fiber), fiber.condition.subject);
    note_progress();
    woke = true;
  }
  return woke;
}

void Cluster::count(host::Event event, const void* subject, std::uint64_t times) {
  if (!recorder_) return;
  const std::size_t offset = shared_.offset(reinterpret_cast<std::uintptr_t>(subject));
  const bool placed = subject != nullptr && offset < shared_.size();
  recorder_->event(fiber_, event, placed ? offset % SharedMemory::kStride : SharedMemory::kStride,
                   times);
}

void Cluster::griddepcontrol_wait() { fiber_->waited = true; }

void Cluster::begin_tile(bool first) {
  ++fiber_->tile;
  if (first) ++fiber_->item;
}

/// A query out of bounds shows where its points are read.
void Cluster::note_order(std::int64_t image, std::int64_t queries, std::int64_t position,
                         std::int64_t query) {
  if (query < 0 || query >= queries) return;
  const auto at = static_cast<std::uint64_t>(image * queries + query);
  const auto [known, is_new] = positions_.try_emplace(at, position);
  if (!is_new && known->second == position) return;
  if (!is_new) {
    const auto [first, second] = std::minmax(known->second, position);
    fault(Diagnosis::kMisuse,
          fmt::format("{}: the order returns query {} of image {} for position {} and again for "
                      "position {}; each query has one position",
                      who(*fiber_), query, image, first, second));
  }
  known->second = position;
  if (recorder_) recorder_->order(at, static_cast<std::uint64_t>(image * queries + position));
}

void Cluster::wait(const host::Condition& condition) {
  if (recorder_) {
    recorder_->wait(static_cast<std::size_t>(
        std::count_if(transfers_.begin(), transfers_.end(), [&](const Transfer& transfer) {
          return transfer.bulk && transfer.completion.subject != condition.subject;
        })));
  }
  if (condition.holds(condition.subject, condition.argument)) return acquire(condition.subject);
  fiber_->condition = condition;
  fiber_->status = Status::kAtCondition;
  leave();
}

/// While a copy's completion acts, what is released is what was known when the copy began.
void Cluster::release(const void* subject) {
  if (!races_) return;
  if (finishing_ != nullptr) return races_->release(subject, finishing_->begun);
  races_->release(subject, clock_of(*fiber_));
  races_->advance(number(*fiber_));
}

void Cluster::acquire(const void* subject) {
  if (races_ && fiber_ != nullptr) races_->acquire(number(*fiber_), subject);
}

const Clock& Cluster::clock_of(const Fiber& fiber) const {
  static const Clock kNone;
  return races_ ? races_->clock(number(fiber)) : kNone;
}

void Cluster::fault(Diagnosis diagnosis, const std::string& text) {
  const Fault found(diagnosis, text);
  if (fiber_ == nullptr) throw found;
  fault_ = found;
  leave();
  std::terminate();  // leave() throws: the launch is given up
}

void Cluster::fail(host::Where where, const char* what) {
  fault(Diagnosis::kMisuse, fmt::format("{}: {} at {}", who(*fiber_), what, this->where(where)));
}

void* Cluster::mapa(host::Where where, const void* shared, unsigned rank) {
  const std::size_t offset = shared_.offset(reinterpret_cast<std::uintptr_t>(shared));
  if (rank >= grid_.cluster || offset >= shared_.size()) {
    fault(Diagnosis::kMisuse, fmt::format("{} maps an address to block {} of a cluster of {} at {}",
                                          who(*fiber_), rank, grid_.cluster, this->where(where)));
  }
  return shared_.block(rank) + offset % SharedMemory::kStride;
}

}  // namespace msda::simt
