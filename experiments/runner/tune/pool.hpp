// What a search may choose from.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "design/space.hpp"

namespace msda {

struct Pool {
  const SearchSpace& space;
  /// Whether a point can run at all, as far as that is known without compiling it.
  std::function<bool(std::uint64_t)> can_run;
  /// Every point that can, in ascending order; empty where there are too many to list.
  std::vector<std::uint64_t> all;
  /// Known compositions to begin with; those from space.size() on are no points of the space.
  std::vector<std::uint64_t> known;

  bool is_point(std::uint64_t candidate) const { return candidate < space.size(); }
};

}  // namespace msda
