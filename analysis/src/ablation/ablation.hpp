// What the factors of an ablation are worth: effects in terms of speed-up, estimated on log time
// inside blocks. Every effect is a contrast, a weighted sum of the arms' log times.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "design/design.hpp"
#include "statistics/table.hpp"

namespace msda {

enum class EffectKind {
  kTotal,        ///< all factors on against the base
  kAddOne,       ///< a factor alone on top of the base
  kLeaveOneOut,  ///< a factor on top of all the others
  kGap,          ///< leave-one-out against add-one; not 1 where a factor interacts with the others
  kMain,         ///< a factor, averaged over the levels of the others
  kInteraction,  ///< how a factor's effect changes when another one is on
  kLadderStep,   ///< a factor on top of those before it in the order
  kShapley,      ///< a factor's share of the total, averaged over the orders
};
std::string_view name_of(EffectKind kind);

enum class EffectVerdict { kBetter, kWorse, kEqual, kUndecided, kNotEstimable };
std::string_view name_of(EffectVerdict verdict);

/// All ratios are speed-ups: above 1 the factor makes the kernel faster.
struct Effect {
  std::string label;                   ///< "prefetch", "threads=256", "prefetch x texture"
  std::vector<std::size_t> factors;    ///< indices into Design::factors; empty for the total
  std::optional<double> ratio;         ///< absent when it cannot be estimated
  std::optional<Interval> ratio_95;    ///< of this effect alone; absent with less than two blocks
  double standard_error = 0;           ///< of log(ratio); 0 without an interval
  double degrees_of_freedom = 0;       ///< of its Student t
  std::optional<double> p_difference;  ///< of "no effect", corrected within the family (Holm)
  std::optional<double> p_equal;       ///< of "differs by the threshold or more", corrected as well
  std::optional<double> share;  ///< Shapley: part of the total's log, they sum to 1; only of a
                                ///< total that is significantly not 1
  std::optional<double> error_ratio;  ///< same contrast on relative L2: above 1 is less accurate
  Replication replication = Replication::kNone;
  int replicates = 0;
  EffectVerdict verdict = EffectVerdict::kNotEstimable;
  std::string reason;  ///< why it cannot be estimated
};

/// The effects of one kind; verdicts are corrected over them.
struct EffectFamily {
  EffectKind kind = EffectKind::kTotal;
  std::vector<Effect> effects;
  std::string remark;  ///< how they were estimated and what they rest on, a sentence, or ""
};

/// The families of one problem in one timing mode; those that the design says nothing about are
/// left out.
struct AblationTable {
  std::string problem;
  TimingMode mode = kUsualMode;
  std::vector<EffectFamily> families;
};

/// nullptr where the design says nothing about effects of the kind.
const EffectFamily* find_family(const AblationTable& table, EffectKind kind);
/// The effects that tell most of single factors: main before leave-one-out before add-one; nullptr
/// where a table has none of them.
const EffectFamily* telling_family(const AblationTable& table);

/// One effect over all problems of one mode.
struct PooledEffect {
  std::string label;
  std::vector<std::size_t> factors;
  std::optional<double> ratio;       ///< geometric mean over these problems
  std::optional<Interval> ratio_95;  ///< of that mean, problems taken as given
  EffectVerdict verdict = EffectVerdict::kNotEstimable;
  std::vector<std::optional<double>> by_problem;  ///< ratios, in PooledFamily::problems' order
  double spread = 1;                              ///< exp(standard deviation of the problems' logs)
  std::optional<double> p_same;  ///< of "the same at every problem" (p_all_same(), Holm)
  bool heterogeneous = false;    ///< p_same <= 5%: it depends on the problem
};

struct PooledFamily {
  EffectKind kind = EffectKind::kMain;
  TimingMode mode = kUsualMode;
  std::vector<std::string> problems;
  std::vector<PooledEffect> effects;
};

/// The design of a run and what its arms say.
struct Ablation {
  Design design;
  std::vector<AblationTable> tables;
  std::vector<PooledFamily> pooled;  ///< empty with a single problem
};

/// The effects of the design's factors in every table, and over tables of one mode.
Ablation make_ablation(Design design, const std::vector<Table>& tables);

}  // namespace msda
