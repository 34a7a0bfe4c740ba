// A skeleton is a kernel around decisions: its slots.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace msda {

struct SkeletonSlot {
  std::string name;    ///< as plugins and YAML call it, "mapping"
  std::string member;  ///< alias in the composition, "Mapping"
  int number;          ///< of the slot in the launch plan
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

}  // namespace msda
