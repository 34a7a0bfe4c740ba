#include <fmt/format.h>

#include "measure/measure.hpp"

namespace msda {
namespace {

constexpr int kPoison = 0xFF;  ///< as a float, half or bfloat16: a NaN

Bytes run_once(Device& device, Executable& executable, DeviceInput& input) {
  input.poison_output();
  device.synchronize();
  executable.launch(input.tensors(), device.stream());
  device.synchronize();
  return input.download_output();
}

/// What is wrong with the comparison, or "".
std::string fault(const Comparison& comparison, double tolerance, const Problem& problem) {
  if (comparison.not_written > 0) {
    return fmt::format("{} of {} output elements are NaN or were not written",
                       comparison.not_written, problem.output_elements());
  }
  // Written so that a NaN error is a fault too.
  if (!(comparison.relative_l2 <= tolerance)) {
    return fmt::format(
        "relative L2 error {:.2e} exceeds {:.0e}; largest difference {:.2e} at element {}",
        comparison.relative_l2, tolerance, comparison.maximum_absolute, comparison.worst_index);
  }
  return "";
}

}  // namespace

DeviceInput::DeviceInput(Device& device, const Input& input) {
  const std::int64_t output_bytes = input.problem.output_elements() *
                                    static_cast<std::int64_t>(size_of(input.problem.types.output));
  const std::int64_t needed =
      static_cast<std::int64_t>(input.value.size() + input.locations.size() +
                                input.weights.size()) +
      output_bytes;
  if (const std::int64_t free = device.free_bytes(); needed > free) {
    throw EnvironmentError(
        fmt::format("{} needs {:.2f} GB for one input set and {} has {:.2f} GB free; take a "
                    "smaller batch or types",
                    describe(input.problem), static_cast<double>(needed) / 1e9, device.info().id,
                    static_cast<double>(free) / 1e9));
  }
  const auto place = [&](const Bytes& host) {
    memory_.push_back(device.allocate(host.size()));
    memory_.back()->upload(host.data(), host.size());
    return memory_.back()->data();
  };
  tensors_.value = place(input.value);
  tensors_.locations = place(input.locations);
  tensors_.weights = place(input.weights);
  memory_.push_back(device.allocate(static_cast<std::size_t>(output_bytes)));
  tensors_.output = memory_.back()->data();
}

void DeviceInput::poison_output() { memory_.back()->fill(kPoison); }

Bytes DeviceInput::download_output() const {
  Bytes bytes(memory_.back()->size());
  memory_.back()->download(bytes.data(), bytes.size());
  return bytes;
}

Verdict verify(Device& device, Executable& executable, const Composition& composition,
               DeviceInput& input, const Problem& problem, const std::vector<double>& reference) {
  executable.bind(input.tensors());
  const Bytes first = run_once(device, executable, input);
  Verdict verdict;
  verdict.tolerance = composition.tolerance(problem);
  verdict.comparison = compare(problem, first, reference);
  verdict.reason = fault(verdict.comparison, verdict.tolerance, problem);
  if (verdict.reason.empty() && composition.deterministic()) {
    const Bytes second = run_once(device, executable, input);
    if (first != second) verdict.reason = "a second run on the same input gave other bits";
  }
  verdict.right = verdict.reason.empty();
  return verdict;
}

}  // namespace msda
