// Which contrasts a design allows.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ablation/contrast.hpp"

namespace msda {

/// The cells of a design that have a time.
class Cells {
 public:
  /// `missing` has one entry for each point of the design: "" or why it has no time.
  Cells(const Design& design, std::vector<std::string> missing);

  const Design& design() const { return design_; }
  /// Index of a point with a time; nullopt without one.
  std::optional<std::size_t> find(const Levels& levels) const;
  /// Why a combination has no time.
  std::string reason(const Levels& levels) const;
  /// Whether the design asked for it, be it that it cannot run.
  bool asked(const Levels& levels) const;
  std::vector<std::size_t> timed() const;
  std::size_t count() const { return design_.points.size(); }

 private:
  const Design& design_;
  std::vector<std::string> missing_;
  std::map<Levels, std::size_t> index_;
  std::map<Levels, const DroppedPoint*> dropped_;
};

/// "prefetch", or "threads=256" for a factor of several levels.
std::string effect_label(const Factor& factor, int level);

/// Total, add-one, leave-one-out, gap and ladder, as far as the design has them.
std::vector<ContrastFamily> one_at_a_time(const Cells& cells);
/// Main effects and two-factor interactions by least squares over the cells.
std::vector<ContrastFamily> factorial(const Cells& cells);
/// Empty where the design allows no shares.
std::vector<ContrastFamily> shapley(const Cells& cells,
                                    const std::vector<ContrastFamily>& factorial);

}  // namespace msda
