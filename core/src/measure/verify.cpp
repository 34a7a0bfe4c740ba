#include "measure/verify.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "input/elements.hpp"
#include "measure/read_only.hpp"
#include "parallel.hpp"
#include "reference/shifts.hpp"

namespace msda {
namespace {

/// "(b 0, q 17, h 3, c 5)": the first `axes` axes.
std::string indices_text(const Problem& problem, const TensorSpec& spec, std::int64_t element,
                         std::size_t axes) {
  std::string text;
  const std::vector<std::int64_t> indices = indices_of(problem, spec, element, axes);
  for (std::size_t d = 0; d < axes; ++d) {
    text += fmt::format("{}{} {}", d == 0 ? "(" : ", ", name_of(spec.axes[d]), indices[d]);
  }
  return text + ")";
}

std::string shift_text(const Shift& shift) {
  return fmt::format(
      "level {} looks as if all its points were shifted by {:+.4f} pixels along {}; rounding "
      "explains {:.4f}",
      shift.level, shift.pixels, shift.along_x ? "x" : "y", shift.limit);
}

/// Why an output may be infinite: halves end at 65504, the other types far beyond.
std::string overflow_text(const Arithmetic& arithmetic, DType stored) {
  if (arithmetic.sums.to == kFp16 || arithmetic.accumulation.to == kFp16) {
    return ": overflow of half sums";
  }
  return traits_of(stored).format == kFp16 ? ": beyond the range of fp16" : "";
}

/// One output on its way to a verdict.
struct Judged {
  const Problem& problem;
  const TensorSpec& spec;
  const Truth& truth;
  const Bytes& bytes;
  const Arithmetic& arithmetic;

  /// "element (b 0, q 17, h 3, c 5) is 0.12 and should be 0.13".
  std::string element_text(std::int64_t index) const {
    return fmt::format("element {} is {:.6g} and should be {:.6g}",
                       indices_text(problem, spec, index, spec.rank),
                       load_element(truth.shape.type, bytes.data(), index),
                       truth.output[static_cast<std::size_t>(index)]);
  }

  /// What is wrong with it, or "". Conditions are written so that NaN is a fault too.
  std::string fault(const Comparison& c, const Bounds& bounds) const {
    if (c.not_written > 0) {
      return fmt::format("{} of {} {} elements are NaN or were not written, the first at {}",
                         c.not_written, truth.output.size(), spec.name,
                         indices_text(problem, spec, c.worst_element, spec.rank));
    }
    const std::string worst = element_text(c.worst_element);
    if (c.infinite > 0) {
      return fmt::format("{} of {} {} elements are infinite{}; {}", c.infinite, truth.output.size(),
                         spec.name, overflow_text(arithmetic, truth.shape.type), worst);
    }
    if (!(c.relative_l2 <= bounds.relative_l2())) {
      return fmt::format("relative L2 error {:.2e} exceeds {:.2e}; {}", c.relative_l2,
                         bounds.relative_l2(), worst);
    }
    if (!(c.row_excess <= 1)) {
      return fmt::format(
          "the error of row {} is {:.3g} times what rounding can do; {}",
          indices_text(problem, spec, c.worst_row * truth.shape.elements, spec.row_axes),
          c.row_excess, worst);
    }
    if (!(c.element_excess <= 1)) {
      return fmt::format("an error is {:.3g} times what rounding can do: {}", c.element_excess,
                         worst);
    }
    const auto shift = find_shift(bytes, truth, bounds);
    return shift ? shift_text(*shift) : "";
  }
};

}  // namespace

std::vector<std::int64_t> indices_of(const Problem& problem, const TensorSpec& spec,
                                     std::int64_t element, std::size_t axes) {
  std::vector<std::int64_t> indices(spec.rank);
  for (std::size_t d = spec.rank; d-- > 0;) {
    const std::int64_t size = extent(problem, spec.axes[d]);
    indices[d] = element % size;
    element /= size;
  }
  indices.resize(axes);
  return indices;
}

namespace {

/// Adds what there is to say of output `i` to the verdict.
void judge_output(const Composition& composition, const Problem& problem,
                  const std::vector<Truth>& truths, std::size_t i, const Bytes& bytes,
                  Verdict& verdict) {
  const Operator& op = composition.op();
  const Arithmetic arithmetic = composition.arithmetic(problem);
  const Judged judged{problem, op.tensors()[op.outputs(problem)[i]], truths[i], bytes, arithmetic};
  const Bounds bounds(arithmetic, truths[i]);
  const OutputVerdict& own = verdict.outputs.emplace_back(
      &judged.spec, compare(truths[i].shape, bytes, truths[i].output, &bounds),
      bounds.relative_l2());
  if (!verdict.reason.empty()) return;
  verdict.reason = judged.fault(own.comparison, bounds);
  if (!verdict.reason.empty() && truths.size() > 1) {
    verdict.reason = fmt::format("{}: {}", judged.spec.name, verdict.reason);
  }
}

std::vector<double> numbers_of(DType type, const Bytes& bytes) {
  constexpr std::int64_t kGrain = 1 << 15;
  std::vector<double> numbers(bytes.size() / size_of(type));
  parallel_for(static_cast<std::int64_t>(numbers.size()), kGrain, 0,
               [&](std::int64_t begin, std::int64_t end) {
                 std::vector<float> own(static_cast<std::size_t>(end - begin));
                 load_floats(type, bytes.data(), begin, own);
                 std::ranges::copy(own, numbers.begin() + begin);
               });
  return numbers;
}

/// Of a second run that left other bits in some output, after a first one that was right.
Verdict judge_again(const Composition& composition, const Problem& problem,
                    const std::vector<Truth>& truths, const Verdict& before,
                    const std::vector<Bytes>& first, const std::vector<Bytes>& again) {
  Verdict verdict;
  bool same_where_declared = true;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] == again[i]) {
      verdict.outputs.push_back(before.outputs[i]);
      continue;
    }
    judge_output(composition, problem, truths, i, again[i], verdict);
    OutputVerdict& output = verdict.outputs.back();
    if (composition.deterministic(output.spec->name)) same_where_declared = false;
    const RowShape& shape = truths[i].shape;
    output.spread = compare(shape, again[i], numbers_of(shape.type, first[i])).relative_l2;
  }
  if (!same_where_declared) verdict.reason = "a second run on the same input gave other bits";
  return verdict;
}

}  // namespace

Verdict judge(const Composition& composition, const Problem& problem,
              const std::vector<Truth>& truths, const std::vector<Bytes>& outputs) {
  Verdict verdict;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    judge_output(composition, problem, truths, i, outputs[i], verdict);
  }
  verdict.right = verdict.reason.empty();
  return verdict;
}

std::vector<Bytes> run_poisoned(Device& device, Executable& executable, DeviceInput& input) {
  const ReadOnlyInputs read_only(device, input);
  executable.bind(input.tensors());
  input.poison_outputs();
  device.synchronize();
  executable.launch(input.tensors(), device.stream());
  // Work that the launch put elsewhere would not be in a timed interval, and is not waited for
  // here.
  device.wait();
  std::vector<Bytes> outputs = input.download_outputs();
  device.synchronize();
  return outputs;
}

Verdict judge_run(Device& device, Executable& executable, const Composition& composition,
                  DeviceInput& input, const Problem& problem, const std::vector<Truth>& truths,
                  const std::vector<Bytes>& outputs) {
  Verdict verdict = judge(composition, problem, truths, outputs);
  if (const std::string beside = input.written_beside(); !beside.empty()) verdict.reason = beside;
  if (verdict.reason.empty()) {
    const std::vector<Bytes> again = run_poisoned(device, executable, input);
    if (again != outputs) {
      verdict = judge_again(composition, problem, truths, verdict, outputs, again);
    }
  }
  verdict.right = verdict.reason.empty();
  return verdict;
}

Verdict verify(Device& device, Executable& executable, const Composition& composition,
               DeviceInput& input, const Problem& problem, const std::vector<Truth>& truths) {
  const std::vector<Bytes> outputs = run_poisoned(device, executable, input);
  return judge_run(device, executable, composition, input, problem, truths, outputs);
}

}  // namespace msda
