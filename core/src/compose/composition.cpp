#include "compose/composition.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "compose/coarser.hpp"
#include "compose/skeleton.hpp"

namespace msda {
namespace {

/// The skeleton that has the slots of all parts: that of the first, or one that extends it.
std::string common_skeleton(const std::vector<Part>& parts) {
  std::string common = optimization(parts.front()).slot().skeleton;
  for (const Part& part : parts) {
    const std::string& own = optimization(part).slot().skeleton;
    if (skeleton(own).extends == common) common = own;
  }
  return common;
}

/// Refuses two optimizations for one slot, two skeletons, and slots that a skeleton does not have.
void check_together(const std::vector<Part>& parts, const Skeleton& skeleton) {
  std::map<std::string, std::string> owner;
  for (const Part& part : parts) {
    const Optimization::Slot& slot = optimization(part).slot();
    const std::string& name = part.plugin->name;
    if (slot.skeleton != skeleton.name && slot.skeleton != skeleton.extends) {
      throw UsageError(fmt::format(
          "'{}' is for skeleton '{}' and '{}' for '{}': one composition has one skeleton",
          parts.front().plugin->name, skeleton.name, name, slot.skeleton));
    }
    const SkeletonSlot* const filled = skeleton.find(slot.slot);
    if (filled == nullptr) {
      throw UsageError(
          fmt::format("'{}' fills slot '{}', which skeleton '{}' does not have; its slots are: {}",
                      name, slot.slot, skeleton.name, fmt::join(skeleton.slot_names(), ", ")));
    }
    const auto [other, fresh] = owner.emplace(filled->name, name);
    if (!fresh) {
      throw UsageError(
          fmt::format("'{}' and '{}' both fill slot '{}': a composition takes one of them",
                      other->second, name, slot.slot));
    }
  }
}

/// Refuses an optimization beside one with a trait that it excludes.
void check_exclusions(const std::vector<Part>& parts) {
  for (const Part& part : parts) {
    for (const Optimization::Exclusion& exclusion : optimization(part).slot().excludes) {
      for (const Part& other : parts) {
        const std::vector<std::string>& traits = optimization(other).slot().traits;
        if (std::find(traits.begin(), traits.end(), exclusion.trait) != traits.end()) {
          throw UsageError(fmt::format("'{}' and '{}' do not combine: {}", part.plugin->name,
                                       other.plugin->name, exclusion.reason));
        }
      }
    }
  }
}

/// Takes out of the parts where the level sizes come from.
LevelForm take_levels(std::vector<Part>& parts) {
  LevelForm form = LevelForm::kFixed;
  std::erase_if(parts, [&](const Part& part) {
    if (part.plugin->name != kLevelsVariant) return false;
    form = level_form(part.parameters);
    return true;
  });
  return form;
}

/// Refuses level sizes that are no constants beside a part that needs constants.
void check_levels(const std::vector<Part>& parts, std::string_view skeleton, LevelForm form) {
  if (form == LevelForm::kFixed) return;
  if (!msda::skeleton(skeleton).takes_any_sizes) {
    throw UsageError(fmt::format("levels: {}: the device code of skeleton '{}' has constant sizes",
                                 name_of(form), skeleton));
  }
  for (const Part& part : parts) {
    for (const Optimization::Exclusion& exclusion : optimization(part).slot().excludes) {
      if (exclusion.trait != kRunTimeLevelsTrait &&
          (exclusion.trait != kStoredLevelsTrait || form != LevelForm::kStored)) {
        continue;
      }
      throw UsageError(fmt::format("'{}' and levels: {} do not combine: {}", part.plugin->name,
                                   name_of(form), exclusion.reason));
    }
  }
}

/// A file by its name alone: where it lies on this machine is nobody else's business.
std::string setting_text(const Part& part, const std::string& name, const ParameterValue& value) {
  const std::vector<ParameterSpec>& specs = part.plugin->variant->info().parameters;
  const bool is_file = std::any_of(specs.begin(), specs.end(), [&](const ParameterSpec& spec) {
    return spec.is_file && spec.name == name;
  });
  const std::string text = to_string(value);
  return name + "=" + (is_file ? std::filesystem::path(text).filename().string() : text);
}

std::string part_text(const Part& part) {
  std::vector<std::string> settings;
  for (const auto& [name, value] : part.parameters.values()) {
    settings.push_back(setting_text(part, name, value));
  }
  if (settings.empty()) return part.plugin->name;
  return fmt::format("{}{{{}}}", part.plugin->name, fmt::join(settings, ","));
}

const Placement& placement_of(const Part& part) {
  return dynamic_cast<const Placement&>(*part.plugin->variant);
}

/// Takes the placement out of the parts; refuses a second one.
std::optional<Part> take_placement(std::vector<Part>& parts) {
  std::optional<Part> found;
  for (const Part& part : parts) {
    if (dynamic_cast<const Placement*>(part.plugin->variant.get()) == nullptr) continue;
    if (found) {
      throw UsageError(
          fmt::format("'{}' and '{}' both say which devices a call runs on: a composition takes "
                      "one of them",
                      found->plugin->name, part.plugin->name));
    }
    found = part;
  }
  std::erase_if(parts, [&](const Part& part) { return found && part.plugin == found->plugin; });
  return found;
}

/// What the parts say that they compute, which must be one; `otherwise` when none says anything.
const Operator& operator_of(const std::vector<Part>& parts, std::string_view otherwise) {
  const Part* first = nullptr;
  std::string name(otherwise);
  for (const Part& part : parts) {
    const std::string own = part.plugin->variant->computes(part.parameters);
    if (own.empty() || own == name) continue;
    if (first != nullptr) {
      throw UsageError(fmt::format("'{}' computes the operator '{}' and '{}' '{}'",
                                   first->plugin->name, name, part.plugin->name, own));
    }
    first = &part;
    name = own;
  }
  try {
    return find_operator(name);
  } catch (Error& error) {
    if (first != nullptr) error.add_context(fmt::format("'{}'", first->plugin->name));
    throw;
  }
}

/// Why an operator cannot borrow the skeleton with these parts; "" when it can.
std::string why_not_lent(const BorrowedSkeletons& borrowed, const std::string& lent,
                         const std::vector<Part>& parts) {
  if (skeleton(lent).find(borrowed.slot) == nullptr) {
    return fmt::format(
        "'{}' reads the tensors of the operator '{}' itself: its skeleton '{}' has "
        "no slot '{}'",
        parts.front().plugin->name, borrowed.op, lent, borrowed.slot);
  }
  for (const Part& part : parts) {
    if (optimization(part).slot().slot != borrowed.slot) continue;
    return fmt::format("'{}' fills slot '{}', which the operator fills itself", part.plugin->name,
                       borrowed.slot);
  }
  return "";
}

}  // namespace

const Optimization& optimization(const Part& part) {
  return dynamic_cast<const Optimization&>(*part.plugin->variant);
}

Parameters settled(const Part& part, const Problem& problem) {
  Parameters all = optimization(part).settled(problem, part.parameters);
  for (const ParameterSpec& spec : part.plugin->variant->info().parameters) {
    const auto found = all.values().find(spec.name);
    if (found == all.values().end() || found->second.index() != spec.default_value.index()) {
      throw Error(fmt::format("plugin '{}': settled() returns no parameter '{}' of its type",
                              part.plugin->name, spec.name));
    }
  }
  return all;
}

Composition::Composition(const Registry& registry, const std::vector<Use>& uses)
    : skeleton_("direct") {
  for (const Use& use : uses) {
    const Plugin& plugin = registry.find(use.variant);
    parts_.push_back({&plugin, resolve_parameters(plugin.variant->info(), use.parameters)});
  }
  placement_ = take_placement(parts_);
  levels_ = take_levels(parts_);
  const auto is_kernel = [](const Part& part) {
    return dynamic_cast<const Kernel*>(part.plugin->variant.get()) != nullptr;
  };
  const auto found = std::find_if(parts_.begin(), parts_.end(), is_kernel);
  if (found != parts_.end()) {
    if (parts_.size() > 1) {
      const Part& other = found == parts_.begin() ? parts_[1] : parts_[0];
      throw UsageError(
          fmt::format("'{}' is a whole kernel and cannot be combined with '{}': only optimizations "
                      "of one skeleton combine",
                      found->plugin->name, other.plugin->name));
    }
    if (levels_ != LevelForm::kFixed) {
      throw UsageError(fmt::format(
          "'{}' is a whole kernel: levels: {} is for compositions, whose code the program writes",
          found->plugin->name, name_of(levels_)));
    }
    skeleton_.clear();
    op_ = &operator_of(parts_, kDefaultOperator);
    return;
  }
  if (!parts_.empty()) skeleton_ = common_skeleton(parts_);
  check_together(parts_, msda::skeleton(skeleton_));
  check_exclusions(parts_);
  check_levels(parts_, skeleton_, levels_);
  op_ = &operator_of(parts_, msda::operator_of(skeleton_).name());
  // Filling slots commutes, so a canonical order makes equal compositions equal.
  std::sort(parts_.begin(), parts_.end(),
            [](const Part& a, const Part& b) { return a.plugin->name < b.plugin->name; });
}

const Kernel* Composition::kernel() const {
  return parts_.size() == 1 ? dynamic_cast<const Kernel*>(parts_.front().plugin->variant.get())
                            : nullptr;
}

int Composition::device_count() const {
  return placement_ ? placement_of(*placement_).devices(placement_->parameters) : 1;
}

Placement::Gather Composition::gather() const {
  return placement_ ? placement_of(*placement_).gather(placement_->parameters)
                    : Placement::Gather::kWritten;
}

Composition Composition::on_one_device() const {
  Composition one = *this;
  one.placement_.reset();
  return one;
}

Problem Composition::largest_share(const Problem& problem) const {
  Problem share = problem;
  const std::int64_t devices = device_count();
  share.batch = (problem.batch + devices - 1) / devices;
  return share;
}

std::vector<DeviceKind> Composition::devices() const {
  const Kernel* whole = kernel();
  if (whole == nullptr) return {DeviceKind::kCuda};
  return whole->devices(parts_.front().parameters);
}

std::string Composition::devices_text() const {
  std::vector<std::string_view> names;
  for (const DeviceKind kind : devices()) names.push_back(name_of(kind));
  return fmt::format("{}", fmt::join(names, " or "));
}

bool Composition::runs_on(DeviceKind kind) const {
  if (kind == DeviceKind::kSimt && kernel() == nullptr) return true;
  const std::vector<DeviceKind> kinds = devices();
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

std::optional<std::string> Composition::unsupported(const Problem& problem,
                                                    const DeviceInfo& device_info) const {
  if (!runs_on(device_info.kind)) {
    return fmt::format("runs on {}, not on {}", devices_text(), device_info.id);
  }
  if (kernel() == nullptr && problem.spatial_size() > std::numeric_limits<std::int32_t>::max()) {
    return fmt::format("an image has {} pixels; composed kernels count them in 31 bits",
                       problem.spatial_size());
  }
  if (placement_) {
    if (device_info.kind == DeviceKind::kCpu) {
      return fmt::format("{}: a batch is split over GPUs, and {} has none",
                         placement_->plugin->name, device_info.id);
    }
    if (problem.batch < device_count()) {
      return fmt::format("{}: a batch of {} has no image for each of {} devices",
                         placement_->plugin->name, problem.batch, device_count());
    }
  }
  const Problem share = largest_share(problem);
  for (const Part& part : parts_) {
    const auto reason = part.plugin->variant->unsupported(share, device_info, part.parameters);
    if (reason) return fmt::format("{}: {}", part.plugin->name, *reason);
  }
  return std::nullopt;
}

Arithmetic Composition::arithmetic(const Problem& problem) const {
  Arithmetic all;
  if (const auto borrowed = op_->borrows()) all = borrowed->arithmetic;
  for (const Part& part : parts_) {
    const Arithmetic own = part.plugin->variant->arithmetic(problem, part.parameters);
    all = coarser(all, own, problem);
  }
  return all;
}

std::string Composition::refuses(const Operator& asked) const {
  if (op_->has_tensors_of(asked)) return "";
  if (const auto borrowed = asked.borrows(); borrowed && borrowed->op == op_->name()) {
    if (kernel() != nullptr) {
      return fmt::format("'{}' is a kernel of its own, and computes the operator '{}' alone",
                         parts_.front().plugin->name, op_->name());
    }
    return why_not_lent(*borrowed, skeleton_, parts_);
  }
  return fmt::format("it computes the operator '{}', and the problem asks for '{}'", op_->name(),
                     asked.name());
}

Composition Composition::computing(const Operator& asked) const {
  Composition one = *this;
  if (!op_->has_tensors_of(asked)) one.op_ = &asked;
  return one;
}

bool Composition::deterministic(std::string_view output) const {
  const auto repeats = [&](const Part& part) {
    return part.plugin->variant->deterministic(output, part.parameters);
  };
  if (!std::ranges::all_of(parts_, repeats)) return false;
  if (kernel() != nullptr) return true;
  const Skeleton& own = msda::skeleton(skeleton_);
  return std::ranges::none_of(own.slots, [&](const SkeletonSlot& slot) {
    const auto fills = [&](const Part& part) {
      return own.find(optimization(part).slot().slot) == &slot;
    };
    return std::ranges::find(slot.any_order, output) != slot.any_order.end() &&
           std::ranges::none_of(parts_, fills);
  });
}

bool Composition::deterministic() const {
  return std::ranges::all_of(op_->outputs(), [&](std::size_t output) {
    return deterministic(op_->tensors()[output].name);
  });
}

std::string Composition::describe() const {
  std::vector<std::string> texts;
  texts.reserve(parts_.size() + 1);
  for (const Part& part : parts_) texts.push_back(part_text(part));
  if (parts_.empty()) texts.push_back(skeleton_ + " defaults");
  if (levels_ != LevelForm::kFixed)
    texts.push_back(fmt::format("levels{{sizes={}}}", name_of(levels_)));
  if (placement_) texts.push_back(part_text(*placement_));
  return fmt::format("{}", fmt::join(texts, " + "));
}

}  // namespace msda
