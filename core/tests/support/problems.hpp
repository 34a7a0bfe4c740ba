// The problems that tests share. A test that needs another one begins with one of these.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <msda/problem.hpp>

#include "problem/validate.hpp"

namespace msda {

/// What a test writes of a problem; the rest is as Problem has it.
struct Sizes {
  std::string name = {};
  std::int64_t batch = 1;
  std::int64_t queries = 1;
  std::int64_t heads = 1;
  std::int64_t channels = 32;
  std::int64_t points = 4;
  std::vector<Level> levels = {};
  ValueLayout layout = ValueLayout::kPlain;
  Types types = {};
};

inline Problem make_problem(Sizes sizes) {
  Problem problem;
  problem.name = std::move(sizes.name);
  problem.batch = sizes.batch;
  problem.queries = sizes.queries;
  problem.heads = sizes.heads;
  problem.channels = sizes.channels;
  problem.points = sizes.points;
  problem.levels = std::move(sizes.levels);
  problem.layout = sizes.layout;
  problem.types = sizes.types;
  return problem;
}

/// Under a name that tells its sizes.
inline Problem named(Problem problem) {
  problem.name = describe(problem);
  return problem;
}

/// With all tensors in one type.
inline Problem in_type(DType type, Problem problem) {
  problem.types = Types::all(type);
  return problem;
}

/// Takes well under a millisecond, on a CPU too.
inline Problem tiny_problem() {
  return make_problem({.name = "tiny",
                       .queries = 5,
                       .heads = 2,
                       .channels = 8,
                       .points = 2,
                       .levels = {{4, 5}, {2, 3}}});
}

/// Awkward on purpose: nothing is a multiple of anything.
inline Problem small_problem() {
  return make_problem({.name = "small",
                       .batch = 2,
                       .queries = 7,
                       .heads = 3,
                       .channels = 5,
                       .points = 3,
                       .levels = {{6, 9}, {3, 5}, {1, 1}}});
}

/// Shapes that kernels take, and small enough for the device simt.
inline Problem simulated_problem() {
  return make_problem(
      {.name = "simulated", .batch = 2, .queries = 37, .heads = 2, .levels = {{17, 23}, {9, 12}}});
}

}  // namespace msda
