// Contributions go to global memory one by one: red instructions, which the L2 executes.
#pragma once

#include <backward/sum.cuh>

namespace msda::l2_red {

template <class K, class Parameters>
struct Sum : L2RedSum<K, Parameters> {
  using L2RedSum<K, Parameters>::L2RedSum;
};

}  // namespace msda::l2_red
