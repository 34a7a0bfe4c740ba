// Several devices of one host that work on one launch.
#pragma once

#include <cstddef>

#include "device/device.hpp"

namespace msda {

/// Alike, and numbered from 0, the one where a launch begins and ends.
class DeviceGroup {
 public:
  virtual ~DeviceGroup() = default;
  virtual std::size_t size() const = 0;
  virtual Device& device(std::size_t i) = 0;
  /// Device i is the one for which this thread loads, allocates and launches, until another is.
  virtual void use(std::size_t i) = 0;
  /// Throws Unsupported when kernels of the other devices cannot write to the memory of the first.
  virtual void reach_first() = 0;
  /// Between memory of any of them, at once.
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
  /// The same as a part of a launch, on the stream of device i.
  virtual void enqueue_copy(std::size_t i, void* to, const void* from, std::size_t bytes) = 0;
  /// What follows on the others' streams waits for what is on `stream`, which is the first one's.
  virtual void fork(Stream stream) = 0;
  /// What follows on `stream` waits for what is on the others'.
  virtual void join(Stream stream) = 0;
};

}  // namespace msda
