// The mean of a few independent log times or log ratios, and what it allows to say: intervals,
// tests, the smallest effect that it would have found. All estimates of the analysis are made here.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace msda {

struct Interval {
  double low = 0;
  double high = 0;

  bool contains(double value) const { return low <= value && value <= high; }
};

/// What an interval's Student t counts as independent observations.
enum class Replication {
  kNone,       ///< fewer than two observations: there is no interval
  kBlocks,     ///< blocks of the only process: its spread against other processes is not included
  kProcesses,  ///< the means of processes
};

std::string_view name_of(Replication replication);  ///< "processes", "blocks" or ""

/// A mean of logs, or a sum of such means.
struct LogEstimate {
  double value = 0;
  double standard_error = 0;
  double degrees_of_freedom = 0;  ///< 0: no interval
  Replication replication = Replication::kNone;
  int replicates = 0;  ///< processes or blocks that went into it
};

using LogsByProcess = std::map<int, std::vector<double>>;

/// The processes that a run is sure to make. A stop rule that looks at intervals adds others while
/// they are too wide, so that a run ends early where its spread came out small by luck.
struct PlannedProcesses {
  int count = 0;  ///< 0: nothing was decided by looking, all that there are were planned
};

/// Over the means of the processes where there are several (processes - 1 degrees of freedom), else
/// over what the only one has. Needs one value.
///
/// With more processes than were planned the standard error comes from the planned ones, with their
/// degrees of freedom: whatever a rule made of their spread, the mean of all is independent of it,
/// so that the interval stays exact (Stein, "A two-sample test for a linear hypothesis whose power
/// is independent of the variance", Ann. Math. Statist. 16(3), 1945). Where the spread of all
/// processes is larger, it is taken.
LogEstimate mean_of(const LogsByProcess& logs, PlannedProcesses planned = {});

/// An estimate and its weight in a sum.
struct WeightedEstimate {
  double weight = 1;
  LogEstimate estimate;
};

/// Sum of estimates that share no observation (Welch and Satterthwaite); it has an interval where
/// all have one. `replicates` is that of the term with the fewest. Needs one term.
LogEstimate sum_of(const std::vector<WeightedEstimate>& terms);

/// 95% Student t interval, as a ratio: exp of the bounds. nullopt without degrees of freedom.
std::optional<Interval> interval_95(const LogEstimate& estimate);

/// The same, so wide that `count` such intervals all hold their truth in 95% of experiments
/// (Bonferroni), whichever of them is looked at afterwards.
std::optional<Interval> joint_interval_95(const LogEstimate& estimate, std::size_t count);

/// Two-sided p-value of "the truth lies in `range`", in logs; {0, 0} is "no effect".
double p_inside(const LogEstimate& estimate, const Interval& range);

/// p-value of "the truth lies outside `range`", in logs: two one-sided tests at half the level
/// each, so that 5% refuse it exactly where the 95% interval lies inside.
double p_outside(const LogEstimate& estimate, const Interval& range);

/// p-value of "all estimate the same", for two or more with standard errors above 0 (Welch's
/// analysis of variance, Biometrika 38, 1951: Cochran's Q, corrected for standard errors that are
/// themselves known from a few observations only).
double p_all_same(const std::vector<LogEstimate>& estimates);

/// 1 +- `share` in logs.
Interval log_range(double share);

/// Holm's step-down correction of p-values; the order stays (Scand. J. Statist. 6(2), 1979).
std::vector<double> holm(const std::vector<double>& p_values);

/// The least log effect that an experiment with this standard error and so many degrees of freedom
/// calls different from none, at 5% and with a probability of 80%: from the non-central t, because
/// with few processes the normal approximation promises too much. nullopt without degrees of
/// freedom.
std::optional<double> smallest_detectable(const LogEstimate& estimate);

}  // namespace msda
