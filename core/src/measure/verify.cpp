#include "measure/verify.hpp"

#include <fmt/format.h>

#include "input/elements.hpp"
#include "reference/shifts.hpp"

namespace msda {
namespace {

/// "element (b 0, q 17, h 3, c 5) is 0.12 and should be 0.13".
std::string element_text(const Problem& problem, const Truth& truth, const Bytes& output,
                         std::int64_t index) {
  const auto [b, q, h, c] = place_of(problem, index);
  return fmt::format("element (b {}, q {}, h {}, c {}) is {:.6g} and should be {:.6g}", b, q, h, c,
                     load_element(problem.types.output, output.data(), index),
                     truth.output[static_cast<std::size_t>(index)]);
}

std::string shift_text(const Shift& shift) {
  return fmt::format(
      "level {} looks as if all its points were shifted by {:+.4f} pixels along {}; rounding "
      "explains {:.4f}",
      shift.level, shift.pixels, shift.along_x ? "x" : "y", shift.limit);
}

/// What is wrong with the comparison, or "". Conditions are written so that NaN is a fault too.
std::string fault(const Comparison& c, const Problem& problem, const Truth& truth,
                  const Bytes& output, const Bounds& bounds) {
  if (c.not_written > 0) {
    return fmt::format("{} of {} output elements are NaN or were not written", c.not_written,
                       problem.output_elements());
  }
  const std::string worst = element_text(problem, truth, output, c.worst_element);
  if (!(c.relative_l2 <= bounds.relative_l2())) {
    return fmt::format("relative L2 error {:.2e} exceeds {:.2e}; {}", c.relative_l2,
                       bounds.relative_l2(), worst);
  }
  if (!(c.row_excess <= 1)) {
    const auto [b, q, h, first] = place_of(problem, c.worst_row * problem.channels);
    return fmt::format(
        "the error of row (b {}, q {}, h {}) is {:.3g} times what rounding can do; {}", b, q, h,
        c.row_excess, worst);
  }
  if (!(c.element_excess <= 1)) {
    return fmt::format("an error is {:.3g} times what rounding can do: {}", c.element_excess,
                       worst);
  }
  const auto shift = find_shift(problem, output, truth, bounds);
  return shift ? shift_text(*shift) : "";
}

}  // namespace

std::array<std::int64_t, 4> place_of(const Problem& problem, std::int64_t index) {
  const std::int64_t row = index / problem.channels;
  const std::int64_t query = row / problem.heads;
  return {query / problem.queries, query % problem.queries, row % problem.heads,
          index % problem.channels};
}

Verdict judge(const Composition& composition, const Problem& problem, const Truth& truth,
              const Bytes& output) {
  const Bounds bounds(problem, composition.arithmetic(problem), truth);
  Verdict verdict;
  verdict.tolerance = bounds.relative_l2();
  verdict.comparison = compare(problem, output, truth.output, &bounds);
  verdict.reason = fault(verdict.comparison, problem, truth, output, bounds);
  verdict.right = verdict.reason.empty();
  return verdict;
}

Bytes run_poisoned(Device& device, Executable& executable, DeviceInput& input) {
  executable.bind(input.tensors());
  input.poison_output();
  device.synchronize();
  executable.launch(input.tensors(), device.stream());
  // Work that the launch put elsewhere would not be in a timed interval, and is not waited for
  // here.
  device.wait();
  Bytes output = input.download_output();
  device.synchronize();
  return output;
}

std::string written_beside(const DeviceInput& input) {
  const std::size_t beside = input.written_beside_output();
  return beside == 0 ? "" : fmt::format("{} bytes beside the output were written", beside);
}

Verdict judge_run(Device& device, Executable& executable, const Composition& composition,
                  DeviceInput& input, const Problem& problem, const Truth& truth,
                  const Bytes& output) {
  Verdict verdict = judge(composition, problem, truth, output);
  if (const std::string beside = written_beside(input); !beside.empty()) verdict.reason = beside;
  if (verdict.reason.empty() && composition.deterministic()) {
    const Bytes second = run_poisoned(device, executable, input);
    if (output != second) verdict.reason = "a second run on the same input gave other bits";
  }
  verdict.right = verdict.reason.empty();
  return verdict;
}

Verdict verify(Device& device, Executable& executable, const Composition& composition,
               DeviceInput& input, const Problem& problem, const Truth& truth) {
  const Bytes output = run_poisoned(device, executable, input);
  return judge_run(device, executable, composition, input, problem, truth, output);
}

}  // namespace msda
