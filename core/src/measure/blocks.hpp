// The timed part of a group: interleaved blocks.
//
//   for each block
//     for each arm, in random order        poison, warm up, spoil, watched samples, check
//     for each arm that has parts          warm up, samples of its parts
//
// A process measures by itself: nothing here knows of other processes, of records or of who asked.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "facts/conditions.hpp"
#include "facts/samples.hpp"
#include "measure/output_check.hpp"
#include "measure/row_watch.hpp"

namespace msda {

struct BlockSettings {
  TimingMode mode = kUsualMode;
  int process = 0;  ///< noted with the samples; part of every random choice
  int blocks = 1;
  int samples = 1;                          ///< timed launches of an arm in a block
  int warmup = 0;                           ///< untimed ones before them
  std::uint64_t seed = 1;                   ///< of the order of arms
  std::chrono::duration<double> budget{0};  ///< no block begins later than this after the first
  bool times_parts = true;                  ///< whether the parts of a launch are timed as well
  std::uint64_t secret = 0;                 ///< of what is spoiled and watched: no arm may know it
};

/// An arm that is ready to run. Refers to what others own.
struct TimedArm {
  Prepared* prepared = nullptr;
  OutputCheck* check = nullptr;
};

/// Who takes what the blocks give. Arms have the numbers of their places in the list.
class BlockSink {
 public:
  virtual ~BlockSink() = default;
  enum class Step { kSamples, kParts };

  /// Whether an arm still takes part.
  virtual bool takes_part(std::size_t arm) const = 0;
  /// Carries out one step of an arm, and does what is right with what it throws.
  virtual void run(std::size_t arm, Step step, const std::function<void()>& action) = 0;
  virtual void take_samples(std::size_t arm, SampleBlock samples) = 0;
  /// Of part `part` of the arm's launch.
  virtual void take_part_samples(std::size_t arm, std::size_t part, SampleBlock samples) = 0;
  /// What was timed is not right.
  virtual void reject(std::size_t arm, const Verdict& verdict) = 0;
  /// So many blocks are done; some arms may take no further part.
  virtual void after_block(int blocks_done) = 0;
};

/// How the blocks of one process went.
struct BlocksRun {
  std::string stopped_by;            ///< "blocks": all were run; "budget"; "" when no arm was left
  double seconds = 0;                ///< by the wall clock
  std::optional<Conditions> before;  ///< of the device
  std::optional<Conditions> after;
};

/// Launches an arm, one input set after the other, and waits.
void warm_up(Device& device, GroupInputs& inputs, Executable& executable, int launches);

class Blocks {
 public:
  Blocks(Device& device, GroupInputs& inputs, std::vector<TimedArm> arms,
         const BlockSettings& settings, BlockSink& sink);

  BlocksRun run();

 private:
  bool any_takes_part() const;
  void run_block(int block);
  void measure(std::size_t arm, int block);
  SampleBlock sample(const TimedArm& arm, int block, RowWatch& watch);
  void measure_parts(std::size_t arm, int block);
  /// Of the launches that follow, once outputs are spoiled. `all_parts`: WatchedArm::all_parts.
  std::unique_ptr<RowWatch> watch_of(std::size_t arm, int block, bool all_parts);
  bool has_timed_parts(const TimedArm& arm) const;

  Device& device_;
  GroupInputs& inputs_;
  std::vector<TimedArm> arms_;
  BlockSettings settings_;
  BlockSink& sink_;
  WatchMemory watch_memory_;
};

}  // namespace msda
