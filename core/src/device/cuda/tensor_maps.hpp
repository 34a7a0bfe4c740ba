// Tensor maps that a composition's launch plan asks for: what TMA (compute capability 9.0) needs to
// know of the levels that it copies boxes from.
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include <msda/launch.cuh>

namespace msda {

class TensorMaps {
 public:
  TensorMaps(const LaunchPlan& plan, std::int64_t batch);

  /// Makes the maps of all levels for the values at `values`, a device pointer. Throws Error with
  /// the driver's reason.
  void encode(const void* values);
  /// Adds those that encode() made for these values. Throws Error without.
  void add_to(AllArguments& arguments, const void* values) const;

 private:
  using Maps = std::array<TensorMap, kLevelLimit>;
  TensorMap encode_level(const void* values, const BoxShape& shape) const;

  std::array<BoxShape, kLevelLimit> shapes_{};
  std::int64_t batch_;
  std::map<const void*, Maps> maps_;
};

}  // namespace msda
