// All values are read from global memory, those of some neighbouring heads at a time, so that a
// block and its L1 cache work on a part of each pixel.
#pragma once

#include <msda/slots/source.cuh>

namespace msda::head_planes {

template <class K, class Parameters>
class Source : public GlobalSource<K, Parameters> {
 public:
  static constexpr const char* idle() {
    return kPlaneHeads == K::Problem::kHeads ? "planes of all heads are what there is without it"
                                             : nullptr;
  }
  static constexpr int kPlaneHeads = static_cast<int>(Parameters::heads);
  using typename GlobalSource<K, Parameters>::Storage;

  __device__ Source(const Arguments& arguments, Storage& storage)
      : GlobalSource<K, Parameters>(arguments, storage) {}
};

}  // namespace msda::head_planes
