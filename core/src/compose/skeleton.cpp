#include "compose/skeleton.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <msda/error.hpp>
#include <msda/slot_list.cuh>

#include "nearest.hpp"

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

namespace {

std::vector<Skeleton> all_skeletons() {
#define MSDA_SLOT(Name, name, Default) {name, #Name, k##Name, #Default},
  const Skeleton direct{.name = "direct",
                        .header = "msda/skeleton/direct.cuh",
                        .space = "msda::direct",
                        .slots = {MSDA_GATHER_SLOTS(MSDA_SLOT)},
                        .shared_prepasses = {kLayout}};
  const Skeleton specialised{.name = "specialised",
                             .header = "msda/skeleton/specialised.cuh",
                             .space = "msda::specialised",
                             .slots = {MSDA_GATHER_SLOTS(MSDA_SLOT) MSDA_PRODUCER_SLOTS(MSDA_SLOT)},
                             .shared_prepasses = direct.shared_prepasses,
                             .extends = direct.name};
#undef MSDA_SLOT
  const Skeleton whole{.name = "whole",
                       .header = "msda/skeleton/whole.cuh",
                       .space = "msda::whole",
                       .slots = {{"kernel", "Kernel", 0, ""}},
                       .shared_prepasses = {}};
  return {direct, specialised, whole};
}

}  // namespace

const std::vector<Skeleton>& skeletons() {
  static const std::vector<Skeleton> kSkeletons = all_skeletons();
  return kSkeletons;
}

const Skeleton& skeleton(std::string_view name) {
  std::vector<std::string> names;
  for (const Skeleton& candidate : skeletons()) {
    if (candidate.name == name) return candidate;
    names.push_back(candidate.name);
  }
  throw UsageError(fmt::format("no skeleton '{}'{}; there are: {}", name, suggestion(name, names),
                               fmt::join(names, ", ")));
}

std::vector<std::string> slot_names() {
  std::vector<std::string> names;
  for (const Skeleton& candidate : skeletons()) {
    for (std::string& name : candidate.slot_names()) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string slot_error(const Plugin& plugin) {
  const auto* optimization = dynamic_cast<const Optimization*>(plugin.variant.get());
  if (optimization == nullptr) return "";
  const Optimization::Slot& slot = optimization->slot();
  try {
    const Skeleton& filled = skeleton(slot.skeleton);
    if (filled.find(slot.slot) == nullptr) {
      const std::vector<std::string> names = filled.slot_names();
      const std::string nearest = slot.slot == "pipeline"  // two slots have exchanged this name
                                      ? "; what fetches points fills 'point-fetch'"
                                      : suggestion(slot.slot, names);
      return fmt::format("fills slot '{}', which skeleton '{}' does not have{}; its slots are: {}",
                         slot.slot, filled.name, nearest, fmt::join(names, ", "));
    }
  } catch (const UsageError& error) {
    return error.what();
  }
  const auto is_header = [&](const EmbeddedSource& source) { return slot.header == source.path; };
  if (std::none_of(plugin.sources.begin(), plugin.sources.end(), is_header)) {
    return fmt::format(
        "its slot's header '{}' is not among the files that it embeds; name it "
        "behind DEVICE in msda_add_variant(), and begin the header's path with the "
        "plugin's name",
        slot.header);
  }
  return "";
}

}  // namespace msda
