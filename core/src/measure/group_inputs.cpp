#include "measure/group_inputs.hpp"

namespace msda {

GroupInputs::GroupInputs(Device& device, std::vector<InputSet> sets) : sets_(std::move(sets)) {
  for (const InputSet& set : sets_) on_device_.emplace_back(device, *set.input);
}

const Truth& GroupInputs::truth(Computes computes, std::size_t set) {
  if (computes == Computes::kAttention) return *sets_.at(set).truth;
  auto [found, is_new] = copies_.try_emplace(set);
  if (is_new) found->second = make_copy_truth(*sets_.at(set).input);
  return found->second;
}

}  // namespace msda
