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
  /// Outputs whose last bits two runs of the default policy may leave different, as
  /// Variant::deterministic() says of a variant.
  std::vector<std::string> any_order{};
};

struct Skeleton {
  std::string name;                   ///< "direct"
  std::string header;                 ///< "msda/skeleton/direct.cuh"
  std::string space;                  ///< namespace of Defaults, kernel, prepass, postpass and plan
  std::vector<SkeletonSlot> slots;    ///< their numbers count from 0
  std::vector<int> shared_prepasses;  ///< slots whose pre-pass another slot's policy may ask for
  /// Slots whose policy, the default one included, may have a pass after the main kernel. A filled
  /// slot may always have one before it.
  std::vector<int> postpasses{};
  /// The skeleton whose slots this one has too, so that its optimizations combine with this one's;
  /// "" for none.
  std::string extends{};
  std::string contracts = "msda";  ///< namespace of the slots' concepts
  bool takes_any_sizes = false;    ///< its kernels work without constant level sizes

  const SkeletonSlot* find(std::string_view slot) const;
  std::vector<std::string> slot_names() const;
};

}  // namespace msda
