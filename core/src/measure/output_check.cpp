#include "measure/output_check.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "hash.hpp"
#include "parallel.hpp"

namespace msda {
namespace {

constexpr std::size_t kPartBytes = std::size_t{4} << 20U;
constexpr const char* kOtherBits = "it gave other bits than when it was verified";

}  // namespace

OutputCheck::OutputCheck(const Composition& composition, GroupInputs& inputs)
    : composition_(composition), inputs_(inputs) {
  const Operator& op = composition.op();
  for (const std::size_t number : op.outputs(inputs.problem())) {
    const TensorSpec& spec = op.tensors()[number];
    row_bytes_.push_back(static_cast<std::size_t>(row_elements(inputs.problem(), spec)) *
                         size_of(type_of(inputs.problem(), spec)));
    deterministic_.push_back(composition.deterministic(spec.name));
  }
  part_.resize(row_bytes_.size());
}

/// Whole rows.
std::size_t OutputCheck::part_bytes(std::size_t output) const {
  const std::size_t row = row_bytes_[output];
  return std::max<std::size_t>(kPartBytes / row, 1) * row;
}

OutputCheck::Digests OutputCheck::digests_of(std::size_t output, const Bytes& bytes) const {
  const std::size_t part = part_bytes(output);
  Digests digests((bytes.size() + part - 1) / part);
  parallel_for(static_cast<std::int64_t>(bytes.size()), static_cast<std::int64_t>(part), 0,
               [&](std::int64_t begin, std::int64_t end) {
                 const auto first = static_cast<std::size_t>(begin);
                 const auto size = static_cast<std::size_t>(end - begin);
                 digests[first / part] = Hash().add(bytes.data() + first, size).hex();
               });
  return digests;
}

std::vector<OutputCheck::Digests> OutputCheck::digests_of(const std::vector<Bytes>& outputs) const {
  std::vector<Digests> digests;
  for (std::size_t i = 0; i < outputs.size(); ++i) digests.push_back(digests_of(i, outputs[i]));
  return digests;
}

bool OutputCheck::same_bits(std::size_t set, const std::vector<Digests>& digests) const {
  const std::vector<Digests>& known = known_.at(set).digests;
  for (std::size_t i = 0; i < digests.size(); ++i) {
    if (deterministic_[i] && digests[i] != known[i]) return false;
  }
  return true;
}

Verdict OutputCheck::verify(Device& device, Executable& executable, std::size_t set) {
  DeviceInput& input = inputs_.on_device(set);
  const std::vector<Bytes> outputs = run_poisoned(device, executable, input);
  std::vector<Digests> digests = digests_of(outputs);
  const bool was_known = known_.contains(set);
  if (was_known && digests == known_.at(set).digests && input.written_beside().empty()) {
    return known_.at(set).verdict;
  }
  Verdict verdict = judge_run(device, executable, composition_, input, inputs_.problem(),
                              inputs_.truths(composition_.op(), set), outputs);
  if (was_known && verdict.right && !same_bits(set, digests)) {
    verdict.right = false;
    verdict.reason = kOtherBits;
  }
  if (verdict.right) known_[set] = {std::move(digests), verdict};
  return verdict;
}

std::string OutputCheck::output_hash(std::size_t set) const {
  const auto found = known_.find(set);
  if (found == known_.end()) return "";
  Hash hash;
  for (const Digests& output : found->second.digests) {
    for (const std::string& digest : output) hash.add(digest);
  }
  return hash.hex();
}

void OutputCheck::poison() {
  for (std::size_t set = 0; set < inputs_.size(); ++set) inputs_.on_device(set).poison_outputs();
}

void OutputCheck::spoil(std::mt19937_64& generator, int launches) {
  const std::size_t used = std::min(inputs_.size(), static_cast<std::size_t>(launches));
  set_ = generator() % used;
  for (std::size_t set = 0; set < used; ++set) {
    DeviceInput& input = inputs_.on_device(set);
    for (std::size_t output = 0; output < input.outputs(); ++output) {
      const std::size_t bytes = input.output_bytes(output);
      const std::size_t size = part_bytes(output);
      const std::size_t part = generator() % ((bytes + size - 1) / size);
      if (set == set_) part_[output] = part;
      input.spoil_output(output, generator, part * size, std::min((part + 1) * size, bytes));
    }
  }
}

Verdict OutputCheck::judge_whole() {
  const std::vector<Bytes> outputs = inputs_.on_device(set_).download_outputs();
  Verdict verdict =
      judge(composition_, inputs_.problem(), inputs_.truths(composition_.op(), set_), outputs);
  if (verdict.right) known_[set_] = {digests_of(outputs), verdict};
  return verdict;
}

/// Rounding allows each row and element of a part what it allows those of the whole.
std::string OutputCheck::fault_of_rows(std::size_t output, const Bytes& part, std::size_t first) {
  const Truth& truth = inputs_.truths(composition_.op(), set_)[output];
  const Bounds bounds(composition_.arithmetic(inputs_.problem()), truth);
  const std::size_t element = first / size_of(truth.shape.type);
  const std::size_t count = part.size() / size_of(truth.shape.type);
  const Comparison comparison =
      compare(truth.shape, part, std::span(truth.output).subspan(element, count), &bounds, 0,
              static_cast<std::int64_t>(first / row_bytes_[output]));
  if (comparison.not_written > 0) {
    return fmt::format("{} elements are NaN or were not written", comparison.not_written);
  }
  if (comparison.infinite > 0) return fmt::format("{} elements are infinite", comparison.infinite);
  const double worst = std::max(comparison.row_excess, comparison.element_excess);
  if (worst <= 1) return "";
  return fmt::format("an error is {:.3g} times what rounding can do", worst);
}

std::string OutputCheck::fault_of_part(std::size_t output) {
  const DeviceInput& input = inputs_.on_device(set_);
  const std::size_t size = part_bytes(output);
  const std::size_t first = part_[output] * size;
  const std::size_t bytes = std::min(size, input.output_bytes(output) - first);
  const Bytes part = input.download_output(output, first, bytes);
  if (!deterministic_[output]) return fault_of_rows(output, part, first);
  const std::string& known = known_.at(set_).digests[output].at(part_[output]);
  return digests_of(output, part).front() == known ? "" : kOtherBits;
}

Verdict OutputCheck::check() {
  DeviceInput& input = inputs_.on_device(set_);
  Verdict verdict;
  if (const std::string beside = input.written_beside(); !beside.empty()) {
    verdict.reason = beside;
  } else if (!known_.contains(set_)) {
    verdict = judge_whole();
  } else {
    for (std::size_t output = 0; output < input.outputs() && verdict.reason.empty(); ++output) {
      const std::string fault = fault_of_part(output);
      if (fault.empty()) continue;
      verdict = judge_whole();  // which says what is wrong, where it does
      if (verdict.reason.empty()) verdict.reason = fault;
    }
  }
  verdict.right = verdict.reason.empty();
  if (!verdict.right) verdict.reason = "what was timed: " + verdict.reason;
  return verdict;
}

}  // namespace msda
