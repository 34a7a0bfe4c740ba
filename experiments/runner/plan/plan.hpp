// A Plan is what an experiment comes to on one device: its cells, grouped by problem and timing
// mode, because only arms that run in one group are compared.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "results/manifest.hpp"
#include "runner/experiment/experiment.hpp"

namespace msda {

/// One combination of variants as it will run.
struct Arm : ArmEntry {
  std::optional<BestRequest> best{};  ///< of `use: best`: arms_of() says what it is in a group
  /// What the uses come to; null for `use: best` and for a refused arm.
  std::shared_ptr<const Composition> resolved{};
};

/// Throws UsageError for variants that do not go together.
Arm make_arm(const Registry& registry, const std::string& name, const std::vector<Use>& uses);

/// All arms on one problem in one mode: measured together, in interleaved blocks.
struct Group {
  std::size_t problem = 0;  ///< index into Plan::problems
  TimingMode mode = kUsualMode;
};

/// What an arm with `use: best` is on a problem in a mode.
struct BestChoice {
  std::string arm;
  std::size_t problem = 0;  ///< index into Plan::problems
  TimingMode mode = kUsualMode;
  Arm chosen;         ///< refused where no winner fits
  std::string match;  ///< how near the winner is, "exactly this shape, ..."; "" where none fits
};

/// "2/8". Throws UsageError.
Shard parse_shard(const std::string& text);

struct Plan {
  DeviceInfo device;                 ///< the first of those it runs on
  std::vector<std::string> devices;  ///< ids of devices of one model, at least one
  Shard shard;                       ///< which of the experiment's groups these are
  std::vector<ProblemSpec> problems;
  std::vector<Arm> arms;
  std::string baseline;  ///< name of an arm
  MeasureSettings measure;
  std::vector<Group> groups;       ///< problem by problem
  std::vector<std::string> notes;  ///< what was left out, and why
  std::optional<Design> design;    ///< of an ablation
  std::vector<BestChoice> best;    ///< for each arm with `use: best` in each group

  /// False on a device that only checks: then a cell has a verdict and no time.
  bool measures() const { return device.kind != DeviceKind::kSimt; }
  std::size_t cell_count() const { return groups.size() * arms.size(); }
  const ProblemSpec& problem_of(const Group& group) const { return problems.at(group.problem); }
};

/// `device` is one of `devices`' ids or "auto", which takes the first GPU, else the CPU. Throws
/// EnvironmentError when there is no such device, with the reason.
DeviceInfo choose_device(const std::string& device, const std::vector<DeviceInfo>& devices);

/// The plan's arms as they run in the group.
std::vector<Arm> arms_of(const Plan& plan, const Group& group);

/// The same as requests have them.
std::vector<ArmEntry> entries_of(const std::vector<Arm>& arms);

/// Throws UsageError, with the arm's place, where it computes what none of the problems asks for.
void check_operator(const ArmSpec& arm, const Composition& composition,
                    const std::vector<ProblemSpec>& problems);

/// Drops the arms that run on another kind of device, with a note, and adds the noise pair: the
/// baseline as "NAME-again", unless an arm has its composition already or there is only one. Throws
/// UsageError when none is left, or the base of an ablation or its `all` is not.
Plan make_plan(const Experiment& experiment, const Registry& registry, const DeviceInfo& device);

/// Adds the baseline under another name, where there is something to compare and no such arm yet:
/// whatever the two seem to differ by is noise.
void add_noise_pair(Plan& plan);

/// The plan on several devices. Throws UsageError when they differ in kind or model: their times
/// could not be compared.
void use_devices(Plan& plan, const std::vector<DeviceInfo>& devices);

/// Where the shard's part of `count` groups begins and ends.
std::pair<std::size_t, std::size_t> part_borders(std::size_t count, const Shard& shard);
/// Consecutive elements of `groups`: the parts are as even as can be, and every group is in exactly
/// one of them. Neighbours share their problem, and so its input and reference.
std::vector<Group> part_of(const std::vector<Group>& groups, const Shard& shard);

/// Leaves the plan those of its groups that are the shard's.
void take_shard(Plan& plan, const Shard& shard);

/// The experiment's claims with the mode and, for a speedup, the arm that they are over filled in,
/// and why the plan leaves one out.
std::vector<Claim> planned_claims(const Experiment& experiment, const Plan& plan);

/// Why an arm cannot run a problem, as far as its variants know without running; "" when it can.
std::string unsupported_reason(const Arm& arm, const ProblemSpec& spec, const DeviceInfo& device);

/// What a launch is assumed to take, in seconds: the bytes gathered at a rate that good kernels
/// reach.
double assumed_launch_seconds(const ProblemSpec& spec, DeviceKind kind);

/// How many arms can run a group, as far as their variants know without running.
std::size_t running_arms(const Plan& plan, const Group& group);

/// A rough time for the whole plan in seconds: samples as long as a kernel at an assumed share of
/// the speed of today's devices, at most the budget, and a few seconds to prepare and verify a
/// cell.
double estimate_seconds(const Plan& plan);
/// Refuses an ablation whose base, or whose `all` where the design has it, does not run on the
/// device or on any of the problems; notes where it does not run on some. Throws UsageError.
void check_ends(Plan& plan);

/// "ledger-48/best/graph is smem-levels{...} + ...: exactly this shape, ...", one for each cell of
/// an arm with `use: best` that has a winner.
std::vector<std::string> best_notes(const Plan& plan);
/// One for each number of its generation that the distribution has no use for.
std::vector<std::string> idle_notes(const ProblemSpec& spec);

/// "arm '+a+b' is dropped: b requires c", one for each combination of the design that cannot run.
std::vector<std::string> dropped_notes(const Design& design);

/// Factors, what was dropped and why, and the aliases of a fraction; ends in a line end.
std::string to_text(const Design& design);

/// The table that `msda plan` prints, without the time.
std::string to_text(const Plan& plan);
/// As the manifest has it.
PlanEntry entry_of(const Plan& plan);

}  // namespace msda
