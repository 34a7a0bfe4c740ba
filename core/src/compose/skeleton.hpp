// The skeletons that the device headers offer, and the slots of each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugin/registry.hpp"

namespace msda {

struct SkeletonSlot {
  std::string name;    ///< as plugins and YAML call it, "mapping"
  std::string member;  ///< alias in the composition, "Mapping"
  int number;          ///< of the slot in the launch plan; slots of a family are in this order
  std::string policy;  ///< class template that fills the slot by default; "" for none
};

struct Skeleton {
  std::string name;    ///< "direct"
  std::string header;  ///< "msda/skeleton/direct.cuh"
  std::string space;   ///< namespace of Defaults, kernel, prepass and plan
  std::vector<SkeletonSlot> slots;
  std::vector<int> shared_prepasses;  ///< slots whose pre-pass another slot's policy may ask for
  /// The skeleton whose slots this one has too, so that its optimizations combine with this one's;
  /// "" for none.
  std::string extends{};

  const SkeletonSlot* find(std::string_view slot) const;
  std::vector<std::string> slot_names() const;
};

/// All that there are.
const std::vector<Skeleton>& skeletons();

/// Throws UsageError with the nearest name.
const Skeleton& skeleton(std::string_view name);

/// The slots of all skeletons, each name once.
std::vector<std::string> slot_names();

/// Why an optimization cannot be composed whatever stands beside it: it names a skeleton or slot
/// that is not there, or a header that it does not embed. "" for what can, and for kernels.
std::string slot_error(const Plugin& plugin);

}  // namespace msda
