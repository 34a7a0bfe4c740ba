// Runs one group inside the worker: compile, prepare, verify, measure in interleaved blocks, verify
// again.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "measure/measure.hpp"
#include "results/record.hpp"
#include "runner/protocol/protocol.hpp"
#include "runner/worker/event_channel.hpp"
#include "runner/worker/input_sets.hpp"

namespace msda {

/// The device no longer works after a variant's failure; the worker has reported it and must end.
class DeviceBroken : public Error {
 public:
  using Error::Error;
};

class GroupRunner {
 public:
  GroupRunner(Device& device, const Registry& registry, InputSets& inputs, EventChannel& channel);

  /// Sends one record for each arm and then "done". Throws DeviceBroken.
  void run(const GroupRequest& request);

 private:
  /// An arm on its way through the group; its record is sent as soon as its status is known.
  struct Cell {
    Arm arm;
    std::optional<Composition> composition;
    CompileOutcome compiled;
    Prepared prepared;
    Record record;
    bool alive = true;     ///< not yet recorded
    bool retired = false;  ///< runs no more blocks: others are faster
  };

  static bool any_alive(const std::vector<Cell>& cells);
  void run_cells(std::vector<Cell>& cells);
  Cell make_cell(const Arm& arm) const;
  void skip_unsupported(Cell& cell);
  void compile(std::vector<Cell>& cells);
  void compile_together(const std::vector<Cell*>& cells);
  void take_build(Cell& cell);
  void load_inputs(std::vector<Cell>& cells);
  void prepare_alone(Cell& cell);
  void prepare(Cell& cell);
  void verify_on(Cell& cell, std::size_t set);
  /// What the composition must write for an input set, [B, Q, H, C] in float64.
  const std::vector<double>& expected(const Composition& composition, std::size_t set);
  void compare_with_expected(Cell& cell, std::size_t set);
  void measure(std::vector<Cell>& cells);
  void note_conditions(std::vector<Cell>& cells, std::optional<Conditions> ProcessRun::*when);
  void measure_block(std::vector<Cell>& cells, int block);
  void retire_losers(std::vector<Cell>& cells, int blocks_done) const;
  void measure_cell(Cell& cell, int block);
  /// Launches once, each kernel in a range of its own, where a profiler counts.
  void profile(Cell& cell);
  bool has_timed_parts(const Cell& cell) const;
  void measure_parts(Cell& cell, int block);
  void warm_up(Cell& cell);
  /// Of the input set that launch `i` of a series gets.
  const Tensors& tensors_of_launch(int i) const;

  /// Announces the phase, runs the step, and turns what it throws into the cell's record.
  void step(Cell& cell, const std::string& phase, const std::function<void()>& action);
  void tell_known(const Cell& cell);
  void finish(Cell& cell, CellStatus status, const std::string& reason = "");
  void check_device(Cell& cell, const std::string& reason);

  Device& device_;
  const Registry& registry_;
  InputSets& inputs_;
  EventChannel& channel_;
  const GroupRequest* request_ = nullptr;  ///< of the group being run
  std::vector<InputSet> sets_;
  std::map<std::size_t, std::vector<double>> copies_;  ///< of the sets, for what only copies
  std::vector<DeviceInput> device_inputs_;
};

}  // namespace msda
