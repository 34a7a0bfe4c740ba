#include "measure/group_inputs.hpp"

#include <algorithm>
#include <utility>

namespace msda {

GroupInputs::GroupInputs(Device& device, std::vector<InputSet> sets) : sets_(std::move(sets)) {
  for (const InputSet& set : sets_) on_device_.emplace_back(device, *set.input);
}

bool GroupInputs::have(std::size_t tensor) const {
  return std::ranges::all_of(
      on_device_, [&](const DeviceInput& input) { return input.find_placed(tensor) != nullptr; });
}

const Bytes& GroupInputs::content(std::size_t set, std::size_t tensor) const {
  return on_device_[set].find_placed(tensor)->content(*sets_[set].input);
}

std::string GroupInputs::mend(Device& device) {
  std::vector<DeviceMemory*> memory;
  for (DeviceInput& input : on_device_) {
    for (const DeviceInput::Placed& placed : input.placed()) memory.push_back(placed.memory.get());
  }
  const std::vector<std::string> now = device.fingerprints(memory);
  std::string name;
  for (std::size_t set = 0, i = 0; set < sets_.size(); ++set) {
    for (DeviceInput::Placed& placed : on_device_[set].placed()) {
      const bool written = std::exchange(placed.written, false);
      if (now[i++] == placed.fingerprint && !written) continue;
      if (name.empty()) name = placed.name;
      const Bytes& content = placed.content(*sets_[set].input);
      placed.memory->upload(content.data(), content.size());
    }
  }
  return name;
}

const std::vector<Truth>& GroupInputs::truths(const Operator& op, std::size_t set) {
  const InputSet& own = sets_.at(set);
  if (&op == own.op) return *own.truths;
  auto [found, is_new] = others_.try_emplace({&op, set});
  if (is_new) found->second = make_truths(op, *own.input);
  return found->second;
}

const std::vector<QueryShare>& GroupInputs::shares(const Operator& op, const LinearOperator& linear,
                                                   std::size_t set, std::size_t query) {
  constexpr std::size_t kMost = 256;  // each may be some hundred rows
  Shares& own = shares_[{&op, set}];
  if (!own.of) own.of = linear.shares_of(*sets_.at(set).input);
  if (own.known.size() == kMost) own.known.clear();
  const auto [found, is_new] = own.known.try_emplace(query);
  if (is_new) found->second = own.of(static_cast<std::int64_t>(query));
  return found->second;
}

}  // namespace msda
