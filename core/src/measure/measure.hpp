// Compilation, verification and timing of arms on one device: what design "correct before fast"
// means in code.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "input/input.hpp"
#include "reference/reference.hpp"

namespace msda {

/// One input set on a device, with an output buffer of its own. Bytes on both sides of the output
/// show whether something was written beside it.
class DeviceInput {
 public:
  /// Throws EnvironmentError when the device has too little free memory, with both numbers.
  DeviceInput(Device& device, const Input& input);
  const Tensors& tensors() const { return tensors_; }
  /// Adds Tensors::logits, once; `input` is the one that this was made of. Throws Unsupported when
  /// no logits have its weights as their softmax.
  void add_logits(Device& device, const Input& input);
  void poison_output();  ///< all bytes 0xFF, also beside it
  Bytes download_output() const;
  /// How many of the bytes beside the output have changed since it was poisoned.
  std::size_t written_beside_output() const;

 private:
  /// Copies to memory of its own; returns where that is.
  void* place(Device& device, const void* host, std::size_t bytes);

  std::vector<std::unique_ptr<DeviceMemory>> memory_;
  std::unique_ptr<DeviceMemory> guarded_output_;
  Tensors tensors_;
};

/// What became of one composition in compile_all().
struct CompileOutcome {
  Build build;
  std::exception_ptr failure;  ///< what its compilation threw; null when it went well
};

/// How far compile_all() is.
struct CompileProgress {
  int done = 0;  ///< compositions that compiled or failed
  int count = 0;
  int from_cache = 0;  ///< of those done
  double seconds = 0;  ///< since compile_all() began
};

/// Compiles all compositions for the problem at the same time, on all hardware threads. Calls
/// `on_progress` after each, one call at a time, from any thread. What a compilation throws stays
/// in its own outcome.
std::vector<CompileOutcome> compile_all(
    Device& device, const std::vector<const Composition*>& compositions, const Problem& problem,
    const std::function<void(const CompileProgress&)>& on_progress);

struct Verdict {
  bool right = false;
  std::string reason;  ///< what is wrong; empty when right
  Comparison comparison;
  double tolerance = 0;
};

/// Poisons the output, runs, compares what is there as soon as the stream has come to its end; runs
/// again and asks for the same bits unless the composition declares itself non-deterministic.
Verdict verify(Device& device, Executable& executable, const Composition& composition,
               DeviceInput& input, const Problem& problem, const std::vector<double>& reference);

}  // namespace msda
