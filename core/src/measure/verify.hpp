// Verification: what an arm writes against what is right.
#pragma once

#include <string>
#include <vector>

#include "device/device.hpp"
#include "measure/device_input.hpp"
#include "reference/compare.hpp"
#include "reference/truth.hpp"

namespace msda {

/// Of one output.
struct OutputVerdict {
  const TensorSpec* spec = nullptr;
  Comparison comparison;
  double tolerance = 0;  ///< of the relative L2 error, see Bounds
  double spread = 0;     ///< relative L2 difference between two runs on the same input
};

struct Verdict {
  bool right = false;
  std::string reason;                  ///< what is wrong; empty when right
  std::vector<OutputVerdict> outputs;  ///< in the operator's order; empty where nothing was judged
};

/// Judges all outputs: every element written, the whole, every row and every element within the
/// bounds of the composition's arithmetic, and no shift that all rows have in common.
Verdict judge(const Composition& composition, const Problem& problem,
              const std::vector<Truth>& truths, const std::vector<Bytes>& outputs);

/// Poisons the outputs, runs, and gives what is there as soon as the stream has come to its end.
std::vector<Bytes> run_poisoned(Device& device, Executable& executable, DeviceInput& input);

/// judge() of what run_poisoned() just gave, and DeviceInput::written_beside(); runs again and asks
/// for the same bits of each output that the composition declares deterministic. Others are judged
/// again where their bits differ, and their spread is noted.
Verdict judge_run(Device& device, Executable& executable, const Composition& composition,
                  DeviceInput& input, const Problem& problem, const std::vector<Truth>& truths,
                  const std::vector<Bytes>& outputs);

/// Both in one: run_poisoned() and judge_run().
Verdict verify(Device& device, Executable& executable, const Composition& composition,
               DeviceInput& input, const Problem& problem, const std::vector<Truth>& truths);

/// The indices of the flat index `element` of a tensor, of its first `axes` axes.
std::vector<std::int64_t> indices_of(const Problem& problem, const TensorSpec& spec,
                                     std::int64_t element, std::size_t axes);

}  // namespace msda
