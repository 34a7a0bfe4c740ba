#include "measure/group_inputs.hpp"

namespace msda {

GroupInputs::GroupInputs(Device& device, std::vector<InputSet> sets) : sets_(std::move(sets)) {
  for (const InputSet& set : sets_) on_device_.emplace_back(device, *set.input);
}

const std::vector<Truth>& GroupInputs::truths(const Operator& op, std::size_t set) {
  const InputSet& own = sets_.at(set);
  if (&op == own.op) return *own.truths;
  auto [found, is_new] = others_.try_emplace({&op, set});
  if (is_new) found->second = make_truths(op, *own.input);
  return found->second;
}

}  // namespace msda
