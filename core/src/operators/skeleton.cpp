#include "operators/skeleton.hpp"

namespace msda {

const SkeletonSlot* Skeleton::find(std::string_view slot) const {
  const std::string_view now = slot == "handover" ? "pipeline" : slot;  // as it was called to 0.1
  for (const SkeletonSlot& candidate : slots) {
    if (candidate.name == now) return &candidate;
  }
  return nullptr;
}

std::vector<std::string> Skeleton::slot_names() const {
  std::vector<std::string> names;
  names.reserve(slots.size());
  for (const SkeletonSlot& slot : slots) names.push_back(slot.name);
  return names;
}

}  // namespace msda
