// Tensor maps that a composition's fetch slot asks for in its launch plan: what TMA (compute
// capability 9.0) needs to know of the levels that it copies boxes from.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>

#include <msda/launch.cuh>

#include "device/cuda/memory.hpp"

namespace msda {

class TensorMaps {
 public:
  TensorMaps(const LaunchPlan& plan, std::int64_t batch);

  /// Makes the maps of all levels for the values at `values`, a device pointer. Throws Error with
  /// the driver's reason.
  void encode(const void* values);
  /// Maps in device memory, by level, that encode() made for these values. Throws Error without.
  const TensorMap* of(const void* values) const;

 private:
  TensorMap encode_level(const void* values, const BoxShape& shape) const;

  std::array<BoxShape, kLevelLimit> shapes_{};
  std::int64_t batch_;
  std::map<const void*, std::unique_ptr<CudaMemory>> maps_;
};

}  // namespace msda
