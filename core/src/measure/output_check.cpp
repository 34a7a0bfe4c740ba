#include "measure/output_check.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "hash.hpp"
#include "measure/query_turns.hpp"
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
  if (std::string fault = fault_of_inputs(inputs_, device); !fault.empty()) {
    return {false, std::move(fault), {}};
  }
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
  if (const std::string fault = fault_of_inputs(inputs_, device); !fault.empty()) {
    verdict.right = false;
    verdict.reason = fault;
  }
  if (verdict.right) known_[set] = {std::move(digests), verdict};
  return verdict;
}

namespace {

/// Puts other values into an input set, until it goes. What an arm makes of an input set before its
/// launches, it makes again.
class OtherValues {
 public:
  OtherValues(Device& device, DeviceInput& input, Prepared& prepared, std::size_t tensor,
              const Bytes& content)
      : device_(device),
        input_(input),
        prepared_(prepared),
        memory_(*input.find_placed(tensor)->memory),
        content_(content) {}
  OtherValues(const OtherValues&) = delete;
  OtherValues& operator=(const OtherValues&) = delete;
  ~OtherValues() {
    try {
      put(content_);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the device is lost by then
    }
  }

  void put(const Bytes& content) {
    memory_.upload(content.data(), content.size());
    for (const LaunchPart& part : prepared_.parts) {
      if (part.outside) part.launch(input_.tensors(), device_.stream());
    }
    device_.synchronize();
  }

 private:
  Device& device_;
  DeviceInput& input_;
  Prepared& prepared_;
  DeviceMemory& memory_;
  const Bytes& content_;
};

}  // namespace

Verdict OutputCheck::verify_other_values(Device& device, Prepared& prepared, std::size_t set) {
  const Operator& op = composition_.op();
  const auto* const linear = dynamic_cast<const LinearInValues*>(&op);
  if (linear == nullptr || composition_.kernel() == nullptr) return {true, "", {}};
  DeviceInput& input = inputs_.on_device(set);
  Bytes negated = inputs_.content(set, linear->values());
  QueryTurns::negate(type_of(inputs_.problem(), op.tensors()[linear->values()]), negated);
  std::vector<Bytes> outputs;
  {
    OtherValues other(device, input, prepared, linear->values(),
                      inputs_.content(set, linear->values()));
    other.put(negated);
    outputs = run_poisoned(device, *prepared.executable, input);
  }
  for (std::size_t number = 0; const std::size_t tensor : op.outputs(inputs_.problem())) {
    Bytes& output = outputs[number++];
    if (!linear->follows_values(tensor)) continue;
    QueryTurns::negate(type_of(inputs_.problem(), op.tensors()[tensor]), output);
  }
  Verdict verdict = judge(composition_, inputs_.problem(), inputs_.truths(op, set), outputs);
  if (!verdict.right) {
    verdict.reason = "with the signs of all values changed in place: " + verdict.reason;
  }
  if (const std::string fault = fault_of_inputs(inputs_, device); !fault.empty()) {
    verdict.right = false;
    verdict.reason = fault;
  }
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

const Bounds& OutputCheck::bounds(std::size_t set, std::size_t output) {
  const auto found = bounds_.find({set, output});
  if (found != bounds_.end()) return found->second;
  const Truth& truth = inputs_.truths(composition_.op(), set)[output];
  return bounds_
      .emplace(std::pair(set, output), Bounds(composition_.arithmetic(inputs_.problem()), truth))
      .first->second;
}

Verdict OutputCheck::judge_whole(const RowWatch& watch) {
  std::vector<Bytes> outputs = inputs_.on_device(set_).download_outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i) watch.undo(set_, i, 0, outputs[i]);
  Verdict verdict =
      judge(composition_, inputs_.problem(), inputs_.truths(composition_.op(), set_), outputs);
  if (verdict.right && !watch.has_moved(set_)) known_[set_] = {digests_of(outputs), verdict};
  return verdict;
}

/// Rounding allows each row and element of a part what it allows those of the whole.
std::string OutputCheck::fault_of_rows(std::size_t output, const Bytes& part) {
  const Truth& truth = inputs_.truths(composition_.op(), set_)[output];
  const std::size_t first = first_of_part(output);
  const std::size_t element = first / size_of(truth.shape.type);
  const std::size_t count = part.size() / size_of(truth.shape.type);
  const Comparison comparison =
      compare(truth.shape, part, std::span(truth.output).subspan(element, count),
              &bounds(set_, output), 0, static_cast<std::int64_t>(first / row_bytes_[output]));
  if (comparison.not_written > 0) {
    return fmt::format("{} elements are NaN or were not written", comparison.not_written);
  }
  if (comparison.infinite > 0) return fmt::format("{} elements are infinite", comparison.infinite);
  const double worst = std::max(comparison.row_excess, comparison.element_excess);
  if (worst <= 1) return "";
  return fmt::format("an error is {:.3g} times what rounding can do", worst);
}

Bytes OutputCheck::part_of(std::size_t output) const {
  const DeviceInput& input = inputs_.on_device(set_);
  const std::size_t first = first_of_part(output);
  const std::size_t bytes = std::min(part_bytes(output), input.output_bytes(output) - first);
  return input.download_output(output, first, bytes);
}

bool OutputCheck::is_known(std::size_t output, const Bytes& part) const {
  const std::string& known = known_.at(set_).digests[output].at(part_[output]);
  return digests_of(output, part).front() == known;
}

std::string OutputCheck::fault_of_parts(const RowWatch& watch, std::vector<Bytes>& open) {
  open.resize(row_bytes_.size());
  for (std::size_t output = 0; output < row_bytes_.size(); ++output) {
    Bytes part = part_of(output);
    watch.undo(set_, output, first_of_part(output), part);
    if (deterministic_[output] && is_known(output, part)) continue;
    if (std::string fault = fault_of_rows(output, part); !fault.empty()) return fault;
    if (!deterministic_[output]) continue;
    if (!watch.has_moved(set_)) return kOtherBits;
    open[output] = std::move(part);
  }
  return "";
}

/// Bits of rows may depend on their places, and those of sums over queries on the order; all else
/// has the same bits.
std::string OutputCheck::fault_again(const RowWatch& watch, const std::vector<Bytes>& open) {
  for (std::size_t output = 0; output < open.size(); ++output) {
    if (open[output].empty()) continue;
    const Bytes again = part_of(output);
    if (!is_known(output, again)) return kOtherBits;
    if (!watch.has_queries(output)) continue;
    Bytes timed = open[output];
    watch.replace(set_, output, first_of_part(output), timed, again);
    if (timed != again) return kOtherBits;
  }
  return "";
}

Verdict OutputCheck::check_set(Device& device, Executable& executable, RowWatch& watch) {
  const auto launch_as_before = [&] {
    watch.end();
    executable.launch(inputs_.on_device(set_).tensors(), device.stream());
    device.wait();
  };
  Verdict verdict;
  if (!known_.contains(set_)) {
    verdict = judge_whole(watch);
    if (!verdict.right || known_.contains(set_)) return verdict;
    launch_as_before();
    return judge_whole(watch);
  }
  std::vector<Bytes> open;
  verdict.reason = fault_of_parts(watch, open);
  const auto is_open = [](const Bytes& part) { return !part.empty(); };
  if (verdict.reason.empty() && std::ranges::any_of(open, is_open)) {
    launch_as_before();
    verdict.reason = fault_again(watch, open);
  }
  if (!verdict.reason.empty()) {
    Verdict whole = judge_whole(watch);  // which says what is wrong, where it does
    if (whole.reason.empty()) whole.reason = verdict.reason;
    return whole;
  }
  return verdict;
}

std::string fault_of_inputs(GroupInputs& inputs, Device& device) {
  const std::string name = inputs.mend(device);
  return name.empty() ? "" : fmt::format("it wrote to its input `{}`", name);
}

Verdict OutputCheck::check(Device& device, Executable& executable, RowWatch& watch) {
  Verdict verdict;
  verdict.reason = inputs_.on_device(set_).written_beside();
  if (verdict.reason.empty()) verdict.reason = watch.fault();
  if (verdict.reason.empty()) verdict = check_set(device, executable, watch);
  watch.end();
  if (const std::string fault = fault_of_inputs(inputs_, device); !fault.empty())
    verdict.reason = fault;
  verdict.right = verdict.reason.empty();
  if (!verdict.right) verdict.reason = "what was timed: " + verdict.reason;
  return verdict;
}

}  // namespace msda
