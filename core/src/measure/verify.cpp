#include <algorithm>

#include <fmt/format.h>

#include "measure/measure.hpp"
#include "problem/validate.hpp"

namespace msda {
namespace {

constexpr int kPoison = 0xFF;  ///< as a float, half or bfloat16: a NaN
/// On each side of the output; keeps it aligned to a page.
constexpr std::size_t kGuardBytes = 4096;

Bytes run_once(Device& device, Executable& executable, DeviceInput& input) {
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
  tensors_.value = place(device, input.value.data(), input.value.size());
  tensors_.locations = place(device, input.locations.data(), input.locations.size());
  tensors_.weights = place(device, input.weights.data(), input.weights.size());
  guarded_output_ = device.allocate(static_cast<std::size_t>(output_bytes) + 2 * kGuardBytes);
  tensors_.output = static_cast<std::byte*>(guarded_output_->data()) + kGuardBytes;
  std::vector<std::int64_t> shapes;
  for (const Level& level : input.problem.levels) {
    shapes.push_back(level.height);
    shapes.push_back(level.width);
  }
  const std::vector<std::int64_t> starts = input.problem.level_starts();
  const auto place_numbers = [&](const std::vector<std::int64_t>& numbers) {
    return static_cast<const std::int64_t*>(
        place(device, numbers.data(), numbers.size() * sizeof(std::int64_t)));
  };
  tensors_.shapes = place_numbers(shapes);
  tensors_.starts = place_numbers(starts);
}

void* DeviceInput::place(Device& device, const void* host, std::size_t bytes) {
  memory_.push_back(device.allocate(bytes));
  memory_.back()->upload(host, bytes);
  return memory_.back()->data();
}

void DeviceInput::add_logits(Device& device, const Input& input) {
  if (tensors_.logits != nullptr) return;
  const Bytes logits = logits_of(input);
  tensors_.logits = place(device, logits.data(), logits.size());
}

void DeviceInput::poison_output() { guarded_output_->fill(kPoison); }

Bytes DeviceInput::download_output() const {
  Bytes bytes(guarded_output_->size() - 2 * kGuardBytes);
  guarded_output_->download_part(kGuardBytes, bytes.data(), bytes.size());
  return bytes;
}

std::size_t DeviceInput::written_beside_output() const {
  Bytes guard(kGuardBytes);
  std::size_t written = 0;
  for (const std::size_t offset : {std::size_t{0}, guarded_output_->size() - kGuardBytes}) {
    guarded_output_->download_part(offset, guard.data(), guard.size());
    const auto untouched = std::count(guard.begin(), guard.end(), std::byte{kPoison});
    written += guard.size() - static_cast<std::size_t>(untouched);
  }
  return written;
}

Verdict verify(Device& device, Executable& executable, const Composition& composition,
               DeviceInput& input, const Problem& problem, const std::vector<double>& reference) {
  executable.bind(input.tensors());
  const Bytes first = run_once(device, executable, input);
  Verdict verdict;
  verdict.tolerance = composition.tolerance(problem);
  verdict.comparison = compare(problem, first, reference);
  verdict.reason = fault(verdict.comparison, verdict.tolerance, problem);
  if (const std::size_t beside = input.written_beside_output(); beside > 0) {
    verdict.reason = fmt::format("{} bytes beside the output were written", beside);
  }
  if (verdict.reason.empty() && composition.deterministic()) {
    const Bytes second = run_once(device, executable, input);
    if (first != second) verdict.reason = "a second run on the same input gave other bits";
  }
  verdict.right = verdict.reason.empty();
  return verdict;
}

}  // namespace msda
