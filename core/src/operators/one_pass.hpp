// Operators that find an output and what it owes to rounding in one pass over the points, which
// takes hardly longer than the second alone.
#pragma once

#include <vector>

#include "input/input.hpp"
#include "reference/truth.hpp"

namespace msda {

/// A second base of such an Operator.
class OnePass {
 public:
  virtual ~OnePass() = default;
  /// Operator::judge_by() of Operator::reference(), with the same bits.
  virtual std::vector<Truth> judge(const Input& input, unsigned threads) const = 0;
};

}  // namespace msda
