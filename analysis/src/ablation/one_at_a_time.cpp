#include <algorithm>

#include <fmt/format.h>

#include "ablation/families.hpp"
#include "design/enumerate.hpp"

namespace msda {
namespace {

/// Adds `sign` times (with - without); false, with the reason, when one has no time.
bool add_step(const Cells& cells, const Levels& with, const Levels& without, double sign,
              Contrast& contrast) {
  if (!contrast.weights) contrast.weights = Weights(cells.count(), 0.0);
  for (const auto& [levels, weight] : {std::pair(with, sign), std::pair(without, -sign)}) {
    const auto index = cells.find(levels);
    if (!index) {
      contrast.reason = cells.reason(levels);
      contrast.weights.reset();
      return false;
    }
    (*contrast.weights)[*index] += weight;
  }
  return true;
}

Contrast step(const Cells& cells, std::string label, std::vector<std::size_t> factors,
              const Levels& with, const Levels& without) {
  Contrast contrast{std::move(label), std::move(factors), {}, "", {}};
  add_step(cells, with, without, 1, contrast);
  return contrast;
}

/// `levels` with factor `f` at `level`.
Levels at(Levels levels, std::size_t f, int level) {
  levels[f] = level;
  return levels;
}

ContrastFamily add_one(const Cells& cells) {
  ContrastFamily family{EffectKind::kAddOne, {}, ""};
  const auto& factors = cells.design().factors;
  const Levels base(factors.size(), 0);
  for (std::size_t f = 0; f < factors.size(); ++f) {
    for (int level = 1; level <= factors[f].last(); ++level) {
      family.contrasts.push_back(
          step(cells, effect_label(factors[f], level), {f}, at(base, f, level), base));
    }
  }
  return family;
}

ContrastFamily leave_one_out(const Cells& cells) {
  ContrastFamily family{EffectKind::kLeaveOneOut, {}, ""};
  const auto& factors = cells.design().factors;
  const Levels all = all_on(factors);
  for (std::size_t f = 0; f < factors.size(); ++f) {
    family.contrasts.push_back(
        step(cells, effect_label(factors[f], factors[f].on()), {f}, all, at(all, f, 0)));
  }
  return family;
}

ContrastFamily gap(const Cells& cells) {
  ContrastFamily family = leave_one_out(cells);
  family.kind = EffectKind::kGap;
  family.remark =
      "leave-one-out over add-one: how much more a factor is worth when all the others are on";
  const auto& factors = cells.design().factors;
  const Levels base(factors.size(), 0);
  for (std::size_t f = 0; f < factors.size(); ++f) {
    Contrast& contrast = family.contrasts[f];
    if (contrast.weights) add_step(cells, at(base, f, factors[f].on()), base, -1, contrast);
  }
  return family;
}

ContrastFamily ladder(const Cells& cells) {
  ContrastFamily family{EffectKind::kLadderStep, {}, "each on top of those above it"};
  if (cells.design().orders.empty()) return family;
  const auto& factors = cells.design().factors;
  const auto& order = cells.design().orders.front();
  const std::vector<Levels> points = ladder_points(factors, order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Factor& factor = factors[order[i]];
    family.contrasts.push_back(
        step(cells, effect_label(factor, factor.on()), {order[i]}, points[i + 1], points[i]));
  }
  return family;
}

/// Whether the design asked for what a family needs: all cells missing by design say nothing.
bool any_estimable(const ContrastFamily& family) {
  return std::ranges::any_of(family.contrasts,
                             [](const Contrast& contrast) { return contrast.weights.has_value(); });
}

}  // namespace

Cells::Cells(const Design& design, std::vector<std::string> missing)
    : design_(design), missing_(std::move(missing)) {
  for (std::size_t i = 0; i < design.points.size(); ++i) index_[design.points[i].levels] = i;
  for (const DroppedPoint& gone : design.dropped) dropped_[gone.point.levels] = &gone;
}

std::optional<std::size_t> Cells::find(const Levels& levels) const {
  const auto found = index_.find(levels);
  if (found == index_.end() || !missing_[found->second].empty()) return std::nullopt;
  return found->second;
}

std::string Cells::reason(const Levels& levels) const {
  if (const auto found = index_.find(levels); found != index_.end()) {
    return fmt::format("{}: {}", design_.points[found->second].arm, missing_[found->second]);
  }
  if (const auto gone = dropped_.find(levels); gone != dropped_.end()) {
    return fmt::format("{} cannot run: {}", gone->second->point.arm, gone->second->reason);
  }
  return fmt::format("{} is not in the design", arm_name(design_.factors, levels));
}

bool Cells::asked(const Levels& levels) const {
  return index_.contains(levels) || dropped_.contains(levels);
}

std::vector<std::size_t> Cells::timed() const {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < missing_.size(); ++i) {
    if (missing_[i].empty()) indices.push_back(i);
  }
  return indices;
}

std::string effect_label(const Factor& factor, int level) {
  if (factor.levels.size() == 2 && factor.levels[1] == "on") return factor.name;
  return fmt::format("{}={}", factor.name, factor.levels.at(static_cast<std::size_t>(level)));
}

std::vector<ContrastFamily> one_at_a_time(const Cells& cells) {
  const auto& factors = cells.design().factors;
  std::vector<ContrastFamily> families;
  families.push_back({EffectKind::kTotal,
                      {step(cells, "all factors", {}, all_on(factors), Levels(factors.size(), 0))},
                      ""});
  families.push_back(add_one(cells));
  if (factors.size() > 1) {
    families.push_back(leave_one_out(cells));
    families.push_back(gap(cells));
    families.push_back(ladder(cells));
  }
  // What the design asked for and no cell can answer is said in the families that have an answer.
  std::erase_if(families, [](const ContrastFamily& family) { return !any_estimable(family); });
  return families;
}

}  // namespace msda
