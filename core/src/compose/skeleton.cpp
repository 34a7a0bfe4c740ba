#include "compose/skeleton.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>

#include <msda/error.hpp>
#include <msda/slot_list.cuh>

#include "nearest.hpp"

namespace msda {

const std::vector<Skeleton>& skeletons() {
  static const std::vector<Skeleton> kSkeletons = [] {
    std::vector<Skeleton> all;
    for (const Operator* one : operators())
      std::ranges::move(one->skeletons(), std::back_inserter(all));
    return all;
  }();
  return kSkeletons;
}

const Operator& operator_of(std::string_view skeleton) {
  static const auto kOwners = [] {
    std::map<std::string, const Operator*, std::less<>> owners;
    for (const Operator* one : operators()) {
      for (const Skeleton& own : one->skeletons()) owners.emplace(own.name, one);
    }
    return owners;
  }();
  const auto found = kOwners.find(skeleton);
  if (found != kOwners.end()) return *found->second;
  throw Error(fmt::format("no operator has a skeleton '{}'", skeleton));
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

std::string contract_header(const Skeleton& skeleton, const SkeletonSlot& slot) {
  std::string file = slot.name + ".cuh";
  std::ranges::replace(file, '-', '_');
  const std::string concept_text = fmt::format("concept {}Policy ", slot.member);
  const EmbeddedSource* own = operator_of(skeleton.name).sources();
  for (; own != nullptr && own->path != nullptr; ++own) {
    if (std::string_view(own->path).ends_with("/" + file) &&
        std::string_view(own->text).find(concept_text) != std::string_view::npos) {
      return own->path;
    }
  }
  return "msda/slots/" + file;
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
