#include "measure/output_check.hpp"

#include <algorithm>

#include "hash.hpp"
#include "parallel.hpp"

namespace msda {
namespace {

constexpr std::size_t kPartBytes = std::size_t{4} << 20U;
constexpr const char* kOtherBits = "it gave other bits than when it was verified";

std::size_t part_end(std::size_t part, std::size_t bytes) {
  return std::min((part + 1) * kPartBytes, bytes);
}

}  // namespace

OutputCheck::Digests OutputCheck::digests_of(const Bytes& output) {
  Digests digests((output.size() + kPartBytes - 1) / kPartBytes);
  parallel_for(static_cast<std::int64_t>(output.size()), kPartBytes, 0,
               [&](std::int64_t begin, std::int64_t end) {
                 const auto first = static_cast<std::size_t>(begin);
                 const auto size = static_cast<std::size_t>(end - begin);
                 digests[first / kPartBytes] = Hash().add(output.data() + first, size).hex();
               });
  return digests;
}

bool OutputCheck::is_known(std::size_t set) const {
  return composition_.deterministic() && known_.contains(set);
}

Verdict OutputCheck::verify(Device& device, Executable& executable, std::size_t set) {
  DeviceInput& input = inputs_.on_device(set);
  const Bytes output = run_poisoned(device, executable, input);
  Digests digests = digests_of(output);
  const bool was_known = is_known(set);
  if (was_known && digests == known_.at(set).digests && written_beside(input).empty()) {
    return known_.at(set).verdict;
  }
  Verdict verdict = judge_run(device, executable, composition_, input, inputs_.problem(),
                              inputs_.truth(composition_.computes(), set), output);
  if (was_known && verdict.right) {
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
  for (const std::string& digest : found->second.digests) hash.add(digest);
  return hash.hex();
}

void OutputCheck::poison() {
  for (std::size_t set = 0; set < inputs_.size(); ++set) inputs_.on_device(set).poison_output();
}

void OutputCheck::spoil(std::mt19937_64& generator, int launches) {
  const std::size_t used = std::min(inputs_.size(), static_cast<std::size_t>(launches));
  set_ = generator() % used;
  for (std::size_t set = 0; set < used; ++set) {
    const std::size_t bytes = inputs_.on_device(set).output_bytes();
    const std::size_t part = generator() % ((bytes + kPartBytes - 1) / kPartBytes);
    if (set == set_) part_ = part;
    inputs_.on_device(set).spoil_output(generator, part * kPartBytes, part_end(part, bytes));
  }
}

Verdict OutputCheck::judge_whole(std::size_t set) {
  const Bytes output = inputs_.on_device(set).download_output();
  Verdict verdict =
      judge(composition_, inputs_.problem(), inputs_.truth(composition_.computes(), set), output);
  if (verdict.right) known_[set] = {digests_of(output), verdict};
  return verdict;
}

Verdict OutputCheck::check() {
  DeviceInput& input = inputs_.on_device(set_);
  Verdict verdict;
  verdict.right = true;
  if (const std::string beside = written_beside(input); !beside.empty()) {
    verdict.reason = beside;
  } else if (!is_known(set_)) {
    verdict = judge_whole(set_);
  } else {
    const std::size_t first = part_ * kPartBytes;
    const Bytes part = input.download_output(first, part_end(part_, input.output_bytes()) - first);
    if (digests_of(part).front() != known_.at(set_).digests.at(part_)) {
      verdict = judge_whole(set_);
      if (verdict.right) verdict.reason = kOtherBits;
    }
  }
  verdict.right = verdict.reason.empty();
  if (!verdict.right) verdict.reason = "what was timed: " + verdict.reason;
  return verdict;
}

}  // namespace msda
