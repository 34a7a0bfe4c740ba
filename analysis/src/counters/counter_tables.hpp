// The counters of a run, problem by problem, and what they say of its arms and its factors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ablation/ablation.hpp"
#include "counters/byte_claims.hpp"
#include "counters/why.hpp"
#include "statistics/table.hpp"

namespace msda {

/// An explanation, and what the run's samples say of the same difference. The two are times of
/// different launches: the profiled ones are slowed down and serve as shares alone.
struct Explained {
  Why why;
  std::size_t pairs = 1;        ///< of arms that it is the mean over
  std::optional<double> ratio;  ///< time without / time with, by the samples
  std::optional<Interval> ratio_95;
};

/// One problem in one mode.
struct CounterTable {
  std::string problem;
  std::string mode;                     ///< as in KernelCounters
  std::string device;                   ///< model
  std::string tool;                     ///< with its version
  std::vector<CountedLaunch> launches;  ///< in the arms' order
  std::vector<Explained> arms;          ///< each other one against the baseline
  /// Each level of each factor: the mean over all pairs of arms that differ in it alone.
  std::vector<Explained> factors;
  /// Of each launch, in their order; empty where the run has no record of it.
  std::vector<std::vector<ByteClaim>> bytes;

  /// nullptr without its counters.
  const CountedLaunch* find(const std::string& arm) const;
};

/// What counters are seen against.
struct CounterContext {
  std::vector<std::string> arms;               ///< in the experiment's order; may be empty
  std::string baseline;                        ///< where no table tells; may be ""
  const std::vector<Table>* tables = nullptr;  ///< of the run's samples, if there are any
  const Ablation* ablation = nullptr;          ///< of a run with factors
  const Design* design = nullptr;              ///< the same without samples
  const Manifest* manifest = nullptr;          ///< of the run
};

/// Tables come in the order in which their problem and mode first appear.
std::vector<CounterTable> make_counter_tables(const std::vector<KernelCounters>& kernels,
                                              const CounterContext& context);

}  // namespace msda
