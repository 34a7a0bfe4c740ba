// Why an arm is faster: the change in time beside the change in what keeps the hardware busy.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "counters/launches.hpp"

namespace msda {

/// How one load changed from one launch to another.
struct Cause {
  std::string name;
  Load::Kind kind = Load::Kind::kResource;
  double before = 0;  ///< seconds
  double after = 0;
  std::optional<double> work_before;
  std::optional<double> work_after;
  const Resource* resource = nullptr;
  /// The part of the difference in time that its own change makes up; negative where it changed the
  /// other way. Causes of kind kResource overlap with the others.
  double explains = 0;
  /// How much of the slower launch's time it can have bound, 0 .. 1: the share that a resource was
  /// busy; what no resource was for a wait; 1 for time before the kernel and of idle SMs.
  double weight = 0;
};

struct Why {
  std::string arm;         ///< an arm, or a factor
  std::string over;        ///< what it is compared with: an arm, or "without it"
  double time_before = 0;  ///< seconds, of profiled launches
  double time_after = 0;
  /// That which explains most against its bound first: by `explains` times `weight`. Empty where no
  /// counter of both was busy.
  std::vector<Cause> causes;
  std::string bound;  ///< what the launch is bound by now

  double ratio() const { return time_before / time_after; }
  /// Whether there is something to explain: one profiled launch does not tell less apart.
  bool differs() const;
};

Why explain(const std::string& arm, const LaunchLoads& launch, const std::string& over,
            const LaunchLoads& before);

/// The causes that are worth naming: those that explain 10% and more, three at most.
std::vector<Cause> main_causes(const Why& why);

/// A quantity with three digits at least and no exponent: 0.12, 17.4, 3010.
std::string plain_number(double value);

/// "LSU data pipe 49% (17.5 instead of 22.5 M wavefronts)", for a cell of a table.
std::string in_short(const Cause& cause);

/// "all takes 311 us where base takes 907. Issue slots explain 50% of the difference (131 instead
/// of 450 M instructions), ... Now bound by: LSU data pipe, 82% busy."
std::string in_words(const Why& why);

}  // namespace msda
