#include "design/design.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <msda/error.hpp>

#include <msda/error.hpp>

#include "nearest.hpp"

namespace msda {
namespace {

/// "+threads=256"; a factor that is merely on needs no level.
std::string addition(const Factor& factor, int level) {
  if (factor.levels.size() == 2 && factor.levels[1] == "on") return "+" + factor.name;
  return fmt::format("+{}={}", factor.name, factor.levels.at(static_cast<std::size_t>(level)));
}

}  // namespace

std::string_view name_of(DesignKind kind) {
  switch (kind) {
    case DesignKind::kAddOne: return "add-one";
    case DesignKind::kLeaveOneOut: return "leave-one-out";
    case DesignKind::kLadder: return "ladder";
    case DesignKind::kFull: return "full";
    case DesignKind::kFractional: return "fractional";
    case DesignKind::kList: break;
  }
  return "list";
}

bool Design::has(DesignKind kind) const {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

std::string arm_name(const std::vector<Factor>& factors, const Levels& levels) {
  std::string added;
  std::string removed;
  std::size_t additions = 0;
  bool only_on = true;
  for (std::size_t f = 0; f < factors.size(); ++f) {
    if (levels[f] == 0) {
      removed += "-" + factors[f].name;
      continue;
    }
    ++additions;
    only_on = only_on && levels[f] == factors[f].on();
    added += addition(factors[f], levels[f]);
  }
  if (additions == 0) return "base";
  const bool from_all = only_on && factors.size() - additions < additions;
  return from_all && factors.size() > 1 ? "all" + removed : "base" + added;
}

}  // namespace msda
