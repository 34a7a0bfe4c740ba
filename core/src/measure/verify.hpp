// Verification: what an arm writes against what is right.
#pragma once

#include <array>
#include <string>

#include "device/device.hpp"
#include "measure/device_input.hpp"
#include "reference/compare.hpp"
#include "reference/truth.hpp"

namespace msda {

struct Verdict {
  bool right = false;
  std::string reason;  ///< what is wrong; empty when right
  Comparison comparison;
  double tolerance = 0;  ///< of the relative L2 error, see Bounds
};

/// Judges an output: every element written, the whole, every row and every element within the
/// bounds of the composition's arithmetic, and no shift that all rows have in common.
Verdict judge(const Composition& composition, const Problem& problem, const Truth& truth,
              const Bytes& output);

/// Poisons the output, runs, and gives what is there as soon as the stream has come to its end.
Bytes run_poisoned(Device& device, Executable& executable, DeviceInput& input);

/// "8 bytes beside the output were written", or "" when there is nothing.
std::string written_beside(const DeviceInput& input);

/// judge() of what run_poisoned() just gave, and written_beside(); runs again and asks for the same
/// bits unless the composition declares itself non-deterministic.
Verdict judge_run(Device& device, Executable& executable, const Composition& composition,
                  DeviceInput& input, const Problem& problem, const Truth& truth,
                  const Bytes& output);

/// Both in one: run_poisoned() and judge_run().
Verdict verify(Device& device, Executable& executable, const Composition& composition,
               DeviceInput& input, const Problem& problem, const Truth& truth);

/// b, q, h and c of a flat index of the output.
std::array<std::int64_t, 4> place_of(const Problem& problem, std::int64_t index);

}  // namespace msda
