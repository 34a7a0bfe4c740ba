#include "simt/cluster.hpp"

#include <fmt/format.h>
#include <boost/context/preallocated.hpp>

#include <algorithm>
#include <utility>

namespace msda::simt {
namespace {

Cluster* running_cluster = nullptr;

/// Basic blocks of a slice: long with seed 0, which runs a thread for as long as it can; otherwise
/// of any length, so that threads are interrupted anywhere.
constexpr std::int64_t kLongSlice = 50'000;
constexpr std::int64_t kShortSlices = 2'000;

/// Thrown where a thread that is given up was interrupted, and caught at its beginning.
struct Abandoned {};

}  // namespace

host::ThreadState* Cluster::current_state = nullptr;
long long Cluster::slice = 0;

Cluster* Cluster::running() { return running_cluster; }

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
  running_cluster = this;
}

Cluster::~Cluster() { running_cluster = nullptr; }

void Cluster::start(Lane& lane, unsigned first_block, unsigned index) {
  const unsigned rank = index / grid_.threads;
  lane.state = {index % grid_.threads, grid_.threads,      first_block + rank, grid_.blocks, rank,
                grid_.cluster,         shared_.block(rank)};
  const boost::context::stack_context stack = stacks_.at(index);
  lane.stack_end = reinterpret_cast<std::uintptr_t>(stack.sp);
  lane.stack_begin = lane.stack_end - stack.size;
  lane.context = boost::context::fiber(
      std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack), KeptStack{},
      [this, &lane](boost::context::fiber&& scheduler) {
        after_switch(lane.stack_switch);
        lane.scheduler = std::move(scheduler);
        try {
          if (!lane.abandoned) grid_.kernel(arguments_);
        } catch (const Abandoned&) {
        }
        lane.status = Status::kDone;
        const StackSwitch& back = lane.stack_switch;
        before_switch(lane.stack_switch, back.other_bottom, back.other_size, true);
        return std::move(lane.scheduler);
      });
}

void Cluster::run(unsigned first) {
  shared_.clear();
  lanes_ = std::vector<Lane>(std::size_t{grid_.cluster} * grid_.threads);
  alive_ = lanes_.size();
  if (options_.races) races_.emplace(lanes_.size(), grid_.cluster * grid_.shared_bytes);
  for (unsigned i = 0; i < lanes_.size(); ++i) start(lanes_[i], first, i);
  try {
    run_threads();
  } catch (...) {
    abandon();
    throw;
  }
}

/// Unwinds every thread that has not ended.
void Cluster::abandon() {
  for (Lane& lane : lanes_) {
    if (lane.status == Status::kDone) continue;
    lane.abandoned = true;
    switch_to(lane);
  }
}

void Cluster::run_threads() {
  while (alive_ > 0) {
    const bool ran = run_round();
    const bool engine_runs =
        !engine_.empty() && (!ran || (options_.seed != 0 && random_() % 2 == 0));
    if (engine_runs) finish(options_.seed == 0 ? 0 : random_() % engine_.size());
    const bool woke = satisfy_conditions();
    if (!ran && !engine_runs && !woke) report_deadlock();
  }
  while (!engine_.empty()) finish(0);
}

/// Resumes each thread that can run once. False when none could.
bool Cluster::run_round() {
  std::vector<Lane*> ready;
  for (Lane& lane : lanes_) {
    if (lane.status == Status::kReady) ready.push_back(&lane);
  }
  if (options_.seed != 0) std::shuffle(ready.begin(), ready.end(), random_);
  for (Lane* lane : ready) resume(*lane);
  return !ready.empty();
}

void Cluster::resume(Lane& lane) {
  lane_ = &lane;
  current_state = &lane.state;
  new_slice();
  switch_to(lane);
  lane_ = nullptr;
  steps_ += slice_length_ - slice;
  if (fault_) throw Fault(*std::exchange(fault_, std::nullopt));
  if (lane.status == Status::kDone) {
    --alive_;
    note_progress();
    finish_copies_of(lane);
    check_who_waits_for(lane);
  }
}

void Cluster::switch_to(Lane& lane) {
  before_switch(stack_switch_, reinterpret_cast<const void*>(lane.stack_begin),
                lane.stack_end - lane.stack_begin);
  lane.context = std::move(lane.context).resume();
  after_switch(stack_switch_);
}

void Cluster::leave() {
  Lane& lane = *lane_;
  before_switch(lane.stack_switch, lane.stack_switch.other_bottom, lane.stack_switch.other_size);
  lane.scheduler = std::move(lane.scheduler).resume();
  after_switch(lane.stack_switch);
  if (lane.abandoned) throw Abandoned{};
}

void Cluster::new_slice() {
  slice_length_ =
      options_.seed == 0 ? kLongSlice : 1 + static_cast<std::int64_t>(random_() % kShortSlices);
  slice = slice_length_;
}

void Cluster::end_slice(const void* pc) {
  if (lane_ == nullptr) return;  // the unit's code, called by the executor
  lane_->stopped_at = pc;
  steps_since_progress_ += slice_length_;
  const std::int64_t spin_steps =
      std::max(options_.spin_steps,
               options_.spin_steps_of_thread * static_cast<std::int64_t>(lanes_.size()));
  if (steps_since_progress_ > spin_steps || steps_ > options_.total_steps) {
    fault(Diagnosis::kSpin, fmt::format("the threads run on without writing or waiting; in {}\n{}",
                                        where(pc), who_waits()));
  }
  leave();
}

bool Cluster::satisfy_conditions() {
  bool woke = false;
  for (Lane& lane : lanes_) {
    if (lane.status != Status::kAtCondition) continue;
    if (!lane.condition.holds(lane.condition.subject, lane.condition.argument)) continue;
    lane.status = Status::kReady;
    if (races_) races_->acquire(number(lane), lane.condition.subject);
    note_progress();
    woke = true;
  }
  return woke;
}

void Cluster::wait(const host::Condition& condition) {
  if (condition.holds(condition.subject, condition.argument)) return acquire(condition.subject);
  lane_->condition = condition;
  lane_->status = Status::kAtCondition;
  leave();
}

/// While a copy's completion acts, what is released is what was known when the copy began.
void Cluster::release(const void* subject) {
  if (!races_) return;
  if (finishing_ != nullptr) return races_->release(subject, finishing_->begun);
  races_->release(subject, clock_of(*lane_));
  races_->advance(number(*lane_));
}

void Cluster::acquire(const void* subject) {
  if (races_ && lane_ != nullptr) races_->acquire(number(*lane_), subject);
}

const Clock& Cluster::clock_of(const Lane& lane) const {
  static const Clock kNone;
  return races_ ? races_->clock(number(lane)) : kNone;
}

void Cluster::fault(Diagnosis diagnosis, const std::string& text) {
  const Fault found(diagnosis, text);
  if (lane_ == nullptr) throw found;
  fault_ = found;
  leave();
  std::terminate();  // leave() throws: the launch is given up
}

void Cluster::fail(host::Where where, const char* what) {
  fault(Diagnosis::kMisuse, fmt::format("{}: {} at {}", who(*lane_), what, this->where(where)));
}

void* Cluster::map_shared(host::Where where, const void* shared, unsigned rank) {
  const std::size_t offset = shared_.offset(reinterpret_cast<std::uintptr_t>(shared));
  if (rank >= grid_.cluster || offset >= shared_.size()) {
    fault(Diagnosis::kMisuse, fmt::format("{} maps an address to block {} of a cluster of {} at {}",
                                          who(*lane_), rank, grid_.cluster, this->where(where)));
  }
  return shared_.block(rank) + offset % SharedMemory::kStride;
}

}  // namespace msda::simt
