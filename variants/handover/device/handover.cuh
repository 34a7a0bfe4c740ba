// The ways in which producers and consumers tell each other of full and empty stages.
#pragma once

#include <handover/block.cuh>
#include <handover/flags.cuh>
#include <handover/named.cuh>
#include <msda/slots/handover.cuh>

namespace msda::handover {

/// By the number of the plugin's choice.
template <int by, class Problem, class Parameters>
struct By {
  using Type = BarrierHandover<Problem, Parameters>;
};
template <class Problem, class Parameters>
struct By<1, Problem, Parameters> {
  using Type = NamedHandover;
};
template <class Problem, class Parameters>
struct By<2, Problem, Parameters> {
  using Type = BlockHandover;
};
template <class Problem, class Parameters>
struct By<3, Problem, Parameters> {
  using Type = FlagHandover;
};

template <class Problem, class Parameters>
using Handover = typename By<Parameters::by, Problem, Parameters>::Type;

}  // namespace msda::handover
