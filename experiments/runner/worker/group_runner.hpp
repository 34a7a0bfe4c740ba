// Runs one group inside the worker: compile, prepare, verify, measure in interleaved blocks, verify
// again.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "evidence/evidence.hpp"
#include "measure/blocks.hpp"
#include "measure/compile_all.hpp"
#include "measure/padding.hpp"
#include "runner/protocol/protocol.hpp"
#include "runner/worker/event_channel.hpp"
#include "runner/worker/input_sets.hpp"
#include "runner/worker/thread_owners.hpp"

namespace msda {

/// The device no longer works after a variant's failure; the worker has reported it and must end.
class DeviceBroken : public Error {
 public:
  using Error::Error;
};

/// Successive halving inside a group: who has run enough blocks to know that it loses.
/// After 1, 2, 4, 8.. blocks the slower half of the arms that are left stops, as long as `keep`
/// stay (Jamieson & Talwalkar, AISTATS 2016); keep 0 lets all run. `log_times` are the arms' mean
/// log times over those blocks; the places of those that stop are returned, in ascending order.
std::vector<std::size_t> losers(const std::vector<double>& log_times, int blocks_done, int keep);

/// Owns records and what is told of them; how things are measured is the core's affair.
class GroupRunner : private BlockSink {
 public:
  GroupRunner(Device& device, const Registry& registry, InputSets& inputs, EventChannel& channel);

  /// Sends one record for each arm and then "done". Throws DeviceBroken.
  void run(const GroupRequest& request);

 private:
  /// An arm on its way through the group; its record is sent as soon as its status is known.
  struct Cell {
    ArmEntry arm;
    std::optional<Composition> composition;
    CompileOutcome compiled;
    Prepared prepared;
    std::optional<OutputCheck> check;
    Record record;
    bool alive = true;                                 ///< not yet recorded
    bool retired = false;                              ///< runs no more blocks: others are faster
    std::ptrdiff_t descriptors = 0;                    ///< that its steps left open
    std::shared_ptr<const DeviceSettings> settings{};  ///< as its last step left them
    double timed_seconds = 0;                          ///< of the steps that took its samples
    std::map<std::string, double> foreign_seconds{};   ///< of threads of other arms in these
  };

  bool any_alive() const;
  /// Calls `visit` for each cell that is alive.
  void for_each_alive(const std::function<void(Cell&)>& visit);
  void run_cells();
  Cell make_cell(const ArmEntry& arm) const;
  void skip_unsupported(Cell& cell);
  void compile();
  void compile_together(const std::vector<Cell*>& cells);
  void take_build(Cell& cell);
  void load_inputs();
  void verify_and_measure();
  void prepare_and_verify();
  void prepare_alone(Cell& cell);
  void prepare(Cell& cell);
  void verify_on(Cell& cell, std::size_t set);
  void verify_again(Cell& cell);
  void note(const Verdict& verdict, Record& record) const;
  void compare_with_expected(Cell& cell, std::size_t set);
  /// Before it runs: which of its policies have nothing to do, as its code says.
  void tell_idle(Cell& cell);
  /// Whether the mechanisms of the arms that are left show (group_evidence.cpp).
  void find_evidence();
  SmallInputs small_inputs();
  void measure();
  /// After the blocks, in the first process: an arm that draws much would heat the samples of
  /// others.
  void count_energy();
  /// Runs a step that takes samples, and notes what threads of other arms took meanwhile.
  void run_beside_threads(Cell& cell, const std::function<void()>& action);
  void tell_foreign_threads(Cell& cell) const;
  void check_possible(Cell& cell);
  /// Launches once, each kernel in a range of its own, where a profiler counts.
  void profile(Cell& cell);

  bool takes_part(std::size_t arm) const override;
  void run(std::size_t arm, Step step, const std::function<void()>& action) override;
  void take_samples(std::size_t arm, SampleBlock samples) override;
  void take_part_samples(std::size_t arm, std::size_t part, SampleBlock samples) override;
  void reject(std::size_t arm, const Verdict& verdict) override;
  /// Of a search: losers run no further blocks.
  void after_block(int blocks_done) override;

  /// Announces the phase, runs the step, and turns what it throws into the cell's record.
  void step(Cell& cell, const std::string& phase, const std::function<void()>& action);
  void tell_known(const Cell& cell);
  void finish(Cell& cell, CellStatus status, const std::string& reason = "");
  void check_device(Cell& cell, const std::string& reason);
  [[noreturn]] void leave_process(const std::string& reason);

  Device& device_;
  const Registry& registry_;
  InputSets& inputs_;
  EventChannel& channel_;
  // Of the group being run:
  const GroupRequest* request_ = nullptr;
  std::vector<Cell> cells_;
  std::optional<GroupInputs> group_inputs_;
  std::optional<Padding> padding_;
  ThreadOwners threads_;
  std::map<std::string, double> beside_;  ///< seconds_of_others() when a step began
};

}  // namespace msda
