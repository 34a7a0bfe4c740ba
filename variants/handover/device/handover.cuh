// The ways in which producers and consumers tell each other of full and empty stages.
#pragma once

#include <handover/block.cuh>
#include <handover/flags.cuh>
#include <handover/named.cuh>
#include <msda/slots/handover.cuh>

namespace msda::handover {

/// By the number of the plugin's choice.
template <int by, class K>
struct By {
  using Type = BarrierHandover<K, void>;
};
template <class K>
struct By<1, K> {
  using Type = NamedHandover<K>;
};
template <class K>
struct By<2, K> {
  using Type = BlockHandover<K>;
};
template <class K>
struct By<3, K> {
  using Type = FlagHandover<K>;
};

template <class K, class Parameters>
struct Handover : By<Parameters::by, K>::Type {
  using Base = typename By<Parameters::by, K>::Type;
  using Base::Base;
};

}  // namespace msda::handover
