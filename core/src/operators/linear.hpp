// Operators whose outputs are all linear in one input that has rows of queries, as gradients are in
// grad_output: where the numbers of a query change their signs, so does all that follows from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "input/input.hpp"

namespace msda {

/// What one query adds to a row of an output that is a sum over queries, in float64.
struct QueryShare {
  std::size_t row;
  std::vector<double> numbers;
};
/// The shares of query b*Q + q, in the order of rows.
using SharesOfQuery = std::function<std::vector<QueryShare>(std::int64_t query)>;

/// A second base of such an Operator.
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;
  /// Numbers of the input, [B, Q, ...], and of the output that is a sum over queries. The other
  /// outputs have rows of queries.
  virtual std::size_t linear_in() const = 0;
  virtual std::size_t sum_of_queries() const = 0;
  /// `input` must outlive what comes back.
  virtual SharesOfQuery shares_of(const Input& input) const = 0;
};

/// Operators whose outputs are linear in the values that points read, but for those that no value
/// has a share in. A second base of such an Operator.
class LinearInValues {
 public:
  virtual ~LinearInValues() = default;
  /// Numbers of the values, and of the tensors that change their signs with these.
  virtual std::size_t values() const = 0;
  virtual bool follows_values(std::size_t output) const = 0;
};

/// Operators whose output has rows of queries, each a sum over the numbers of an input, [B, Q,
/// ...], times something. A second base of such an Operator.
class WeightedSum {
 public:
  virtual ~WeightedSum() = default;
  virtual std::size_t weights() const = 0;
  /// What weight `weight` of query b*Q + q adds to the query's part of the output, all elements.
  virtual std::vector<double> share_of_weight(const Input& input, std::int64_t query,
                                              std::int64_t weight) const = 0;
};

}  // namespace msda
