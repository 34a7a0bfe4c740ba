// The policies of slot pipeline, chosen by a parameter.
#pragma once

#include <handover/block.cuh>
#include <handover/flags.cuh>
#include <handover/named.cuh>
#include <msda/slots/pipeline.cuh>

namespace msda::handover {

/// The policy for a choice of parameter "by".
template <int by, class K>
struct By {
  using Type = MbarrierPipeline<K, void>;
};
template <class K>
struct By<1, K> {
  using Type = NamedPipeline<K>;
};
template <class K>
struct By<2, K> {
  using Type = BlockPipeline<K>;
};
template <class K>
struct By<3, K> {
  using Type = FlagPipeline<K>;
};

template <class K, class Parameters>
struct Pipeline : By<Parameters::by, K>::Type {
  using Base = typename By<Parameters::by, K>::Type;
  using Base::Base;
};

}  // namespace msda::handover
