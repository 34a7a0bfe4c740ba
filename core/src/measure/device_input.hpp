// One input set on a device, with output buffers of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "input/input.hpp"
#include "operators/operator.hpp"

namespace msda {

/// Bytes on both sides of each output show whether something was written beside it.
class DeviceInput {
 public:
  /// Throws EnvironmentError when the device has too little free memory, with both numbers.
  DeviceInput(Device& device, const Input& input);
  const Tensors& tensors() const { return tensors_; }
  /// Adds those derived tensors that the executable wants, each once; `input` is the one that this
  /// was made of, here and below. Throws Unsupported when the operator cannot derive one.
  void add_derived(Device& device, const Operator& op, const Input& input,
                   const Executable& executable);

  /// What launches only read: inputs, derived tensors, and the levels.
  struct Placed {
    std::string name;
    std::optional<std::size_t> tensor;  ///< its number; none for what is no tensor
    Bytes own;                          ///< what it holds, where that is not a tensor of the input
    std::unique_ptr<DeviceMemory> memory;
    std::string fingerprint;  ///< of the device, when it was placed
    bool written = false;  ///< seen to be written to since (read_only.hpp), whatever it holds now

    const Bytes& content(const Input& input) const {
      return own.empty() && tensor ? input.tensors[*tensor] : own;
    }
  };
  std::vector<Placed>& placed() { return placed_; }
  /// nullptr for a tensor that is not there.
  const Placed* find_placed(std::size_t tensor) const;

  /// How many outputs the operator has; they are counted from 0 in what follows.
  std::size_t outputs() const { return guarded_.size(); }
  std::size_t output_bytes(std::size_t output) const;

  void poison_outputs();  ///< all bytes 0xFF, a NaN in every type, also beside them
  /// Overwrites small pieces of an output between `first` and `last` (bytes) with finite numbers at
  /// random, which nobody can tell from results without computing them.
  void spoil_output(std::size_t output, std::mt19937_64& generator, std::size_t first,
                    std::size_t last);

  Bytes download_output(std::size_t output) const;
  std::vector<Bytes> download_outputs() const;
  /// A part of an output.
  Bytes download_output(std::size_t output, std::size_t offset, std::size_t bytes) const;
  /// "8 bytes beside the output were written", since they were poisoned; "" when there is nothing.
  std::string written_beside() const;

 private:
  struct Guarded {
    const TensorSpec* spec;
    std::unique_ptr<DeviceMemory> memory;
  };

  /// Copies the content to memory of its own; returns where that is.
  void* place(Device& device, const Input& input, Placed placed);
  std::size_t written_beside(const Guarded& output) const;

  std::vector<Placed> placed_;
  std::vector<Guarded> guarded_;
  Tensors tensors_;
};

}  // namespace msda
