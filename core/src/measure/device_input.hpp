// One input set on a device, with an output buffer of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "device/device.hpp"
#include "input/input.hpp"

namespace msda {

/// Bytes on both sides of the output show whether something was written beside it.
class DeviceInput {
 public:
  /// Throws EnvironmentError when the device has too little free memory, with both numbers.
  DeviceInput(Device& device, const Input& input);
  const Tensors& tensors() const { return tensors_; }
  /// Adds Tensors::logits, once; `input` is the one that this was made of. Throws Unsupported when
  /// no logits have its weights as their softmax.
  void add_logits(Device& device, const Input& input);
  std::size_t output_bytes() const;

  void poison_output();  ///< all bytes 0xFF, a NaN in every type, also beside it
  /// Overwrites small pieces of the output between `first` and `last` (bytes) with finite numbers
  /// at random, which nobody can tell from results without computing them.
  void spoil_output(std::mt19937_64& generator, std::size_t first, std::size_t last);

  Bytes download_output() const;
  /// A part of the output.
  Bytes download_output(std::size_t offset, std::size_t bytes) const;
  /// How many of the bytes beside the output have changed since it was poisoned.
  std::size_t written_beside_output() const;

 private:
  /// Copies to memory of its own; returns where that is.
  void* place(Device& device, const void* host, std::size_t bytes);

  std::vector<std::unique_ptr<DeviceMemory>> memory_;
  std::unique_ptr<DeviceMemory> guarded_output_;
  Tensors tensors_;
};

}  // namespace msda
