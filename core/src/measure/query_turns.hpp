// A query is turned when the signs of its numbers change in the input that an operator is linear
// in: its rows of the outputs then change theirs, and sums over queries lose its share twice. Of a
// WeightedSum, when one of its weights becomes zero: its row loses what that adds.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "measure/group_inputs.hpp"
#include "operators/linear.hpp"

namespace msda {

/// What turned queries change. Of operators that are no LinearOperator, nothing.
class QueryTurns {
 public:
  QueryTurns(const Operator& op, GroupInputs& inputs);

  bool exist() const { return linear_ != nullptr || of_weights(); }
  /// Whether one weight is what turns.
  bool of_weights() const { return sum_ != nullptr; }
  /// How many of them a query has.
  std::size_t weights() const;
  /// What the weight adds to the query's part of the output.
  std::vector<double> share(std::size_t set, std::size_t query, std::size_t weight) const;
  /// Changes the signs of a query's elements of the input that they are to change in, or leaves out
  /// that weight of it.
  void turn(std::size_t tensor, std::span<std::byte> bytes, std::size_t weight) const;
  /// Whether the output is a sum over queries.
  bool is_sum(std::size_t tensor) const {
    return linear_ != nullptr && tensor == linear_->sum_of_queries();
  }

  /// Rows of the sum that the query has a share in, with the share.
  const std::vector<QueryShare>& shares(std::size_t set, std::size_t query) const;
  /// A row of the sum, `row` elements from `known`, when these queries are turned.
  std::vector<double> turned_row(std::size_t set, std::span<const double> known, std::size_t row,
                                 const std::vector<std::size_t>& queries) const;

  /// Changes the signs of all elements.
  static void negate(DType type, std::span<std::byte> bytes);

 private:
  const Operator& op_;
  GroupInputs& inputs_;
  const LinearOperator* linear_;
  const WeightedSum* sum_;
};

}  // namespace msda
