#include "runner/experiment/ablation_points.hpp"

#include <algorithm>
#include <initializer_list>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "design/enumerate.hpp"
#include "design/fraction.hpp"
#include "runner/experiment/parse.hpp"

namespace msda {
namespace {

/// Why the constraints forbid a combination, or "".
std::string forbidden(const std::vector<FactorSpec>& factors, const FactorConstraints& constraints,
                      const Levels& levels) {
  for (const auto& [factor, required] : constraints.requirements) {
    if (levels[factor] != 0 && levels[required] == 0) {
      return fmt::format("{} requires {}", factors[factor].factor.name,
                         factors[required].factor.name);
    }
  }
  for (const auto& exclusion : constraints.exclusions) {
    std::vector<std::string> on;
    for (const std::size_t factor : exclusion) {
      if (levels[factor] != 0) on.push_back(factors[factor].factor.name);
    }
    if (on.size() > 1) return fmt::format("{} excludes {}", on[0], on[1]);
  }
  return "";
}

void require_two_levels(const std::vector<Factor>& factors) {
  for (const Factor& factor : factors) {
    if (factor.levels.size() == 2) continue;
    throw UsageError(
        fmt::format("a fractional design has factors of two levels; '{}' has {}; use 'full'",
                    factor.name, factor.levels.size()));
  }
}

std::vector<Generator> stated_generators(const DesignRequest& request) {
  std::vector<Generator> generators;
  for (const auto& [factor, parents] : request.generators) {
    Word word = 0;
    for (const std::size_t parent : parents) word |= Word{1} << parent;
    generators.push_back({factor, word});
  }
  return generators;
}

std::vector<Levels> fractional_points(Design& design, const DesignRequest& request) {
  require_two_levels(design.factors);
  const std::size_t count = design.factors.size();
  const std::vector<Generator> generators = request.generators.empty()
                                                ? find_generators(count, request.resolution)
                                                : stated_generators(request);
  design.fraction = describe_fraction(count, generators);
  if (design.fraction.resolution < request.resolution && !generators.empty()) {
    throw UsageError(fmt::format("these generators give resolution {}; 'resolution' asks for {}",
                                 design.fraction.resolution, request.resolution));
  }
  std::vector<Levels> points = fraction_points(count, generators);
  // Effects in a fraction need no arm with everything on, but the total speed-up does.
  points.push_back(all_on(design.factors));
  return points;
}

std::vector<Levels> ladders(Design& design, const DesignRequest& request) {
  design.orders = ladder_orders(design.factors.size(), request.random.value_or(0), request.seed);
  std::vector<Levels> points;
  for (const auto& order : design.orders) {
    for (Levels& levels : ladder_points(design.factors, order)) points.push_back(std::move(levels));
  }
  return points;
}

std::vector<Levels> points_of(DesignKind kind, Design& design, const DesignRequest& request) {
  const auto thinned = [&](std::vector<Levels> points) {
    if (!request.random) return points;
    return random_subset(design.factors, std::move(points), *request.random, request.seed);
  };
  switch (kind) {
    case DesignKind::kAddOne: return add_one_points(design.factors);
    case DesignKind::kLeaveOneOut: return leave_one_out_points(design.factors);
    case DesignKind::kLadder: return ladders(design, request);
    case DesignKind::kFull: return thinned(full_points(design.factors));
    case DesignKind::kFractional: return fractional_points(design, request);
    case DesignKind::kList: break;
  }
  return request.list;
}

/// What the levels of all factors change together. Two factors may change one variant, each other
/// parameters of it.
class Changes {
 public:
  void add(const std::string& factor, const LevelChange& change) {
    for (const Use& use : change.uses) {
      for (const auto& [parameter, value] : use.parameters) {
        claim(factor, {use.variant, parameter, value});
      }
      if (Use* const there = find_use(uses_, use.variant)) {
        there->parameters.insert(use.parameters.begin(), use.parameters.end());
      } else {
        uses_.push_back(use);
      }
    }
    for (const ParameterSetting& setting : change.settings) {
      claim(factor, setting);
      settings_.push_back(setting);
    }
  }

  const std::vector<Use>& uses() const { return uses_; }
  const std::vector<ParameterSetting>& settings() const { return settings_; }

 private:
  struct Owner {
    std::string factor;
    ParameterValue value;
  };

  void claim(const std::string& factor, const ParameterSetting& setting) {
    const auto [owner, is_new] = owners_.emplace(std::pair(setting.variant, setting.parameter),
                                                 Owner{factor, setting.value});
    if (is_new || owner->second.value == setting.value) return;
    throw UsageError(fmt::format("{} and {} set {}.{} to {} and to {}", owner->second.factor,
                                 factor, setting.variant, setting.parameter,
                                 to_string(owner->second.value), to_string(setting.value)));
  }

  std::vector<Use> uses_;
  std::vector<ParameterSetting> settings_;
  std::map<std::pair<std::string, std::string>, Owner> owners_;
};

/// The first of the designs asked for that `needs` names; nullopt when none is.
std::optional<DesignKind> asked(const DesignRequest& request,
                                std::initializer_list<DesignKind> needs) {
  const auto found =
      std::find_first_of(request.kinds.begin(), request.kinds.end(), needs.begin(), needs.end());
  return found == request.kinds.end() ? std::nullopt : std::optional(*found);
}

/// "On" is a choice for factors of more than two levels, and not ours.
void require_way_on(const std::vector<Factor>& factors, const DesignRequest& request) {
  const auto kind =
      asked(request, {DesignKind::kLeaveOneOut, DesignKind::kLadder, DesignKind::kFull});
  if (!kind) return;
  for (const Factor& factor : factors) {
    if (factor.has_one_way_on()) continue;
    throw UsageError(fmt::format(
        "factor '{}' has the levels {}: say which of them it has where all factors are on, as "
        "'{}' needs, in the ablation's 'all: {{{}: {}}}'",
        factor.name, fmt::join(factor.levels, ", "), name_of(*kind), factor.name,
        factor.levels.back()));
  }
}

/// Refuses a design whose far end is lost: every ladder and leave-one-out needs it, and elsewhere
/// the total, unless the file itself rules it out.
void require_all(const Design& design, const DesignRequest& request, bool is_ruled_out) {
  const Levels all = all_on(design.factors);
  const auto lost =
      std::find_if(design.dropped.begin(), design.dropped.end(),
                   [&](const DroppedPoint& dropped) { return dropped.point.levels == all; });
  if (lost == design.dropped.end()) return;
  const auto kind = asked(request, {DesignKind::kLeaveOneOut, DesignKind::kLadder});
  if (is_ruled_out && !kind) return;
  throw UsageError(fmt::format(
      "all factors together cannot run: {}; {}", lost->reason,
      kind ? fmt::format("'{}' needs them together", name_of(*kind))
           : "if that is meant, rule it out with 'excludes', or give 'all' other levels"));
}

}  // namespace

std::vector<Use> combine(const Registry& registry, const std::vector<Use>& base,
                         const std::vector<FactorSpec>& factors, const Levels& levels) {
  Changes changes;
  for (std::size_t f = 0; f < factors.size(); ++f) {
    changes.add(factors[f].factor.name, factors[f].changes.at(static_cast<std::size_t>(levels[f])));
  }
  std::vector<Use> uses = overlaid(registry, base, changes.uses());
  for (const ParameterSetting& setting : changes.settings()) {
    Use* const use = find_use(uses, setting.variant);
    if (use == nullptr) {
      throw UsageError(fmt::format("{}.{} is set, but {} is not in this combination",
                                   setting.variant, setting.parameter, setting.variant));
    }
    use->parameters[setting.parameter] = setting.value;
  }
  const Composition check(registry, uses);
  return uses;
}

Design make_design(const Registry& registry, const std::vector<Use>& base,
                   const std::vector<FactorSpec>& factors, const FactorConstraints& constraints,
                   const DesignRequest& request) {
  Design design;
  design.kinds = request.kinds;
  for (const FactorSpec& spec : factors) design.factors.push_back(spec.factor);
  require_way_on(design.factors, request);
  std::vector<Levels> wanted{Levels(factors.size(), 0)};
  for (const DesignKind kind : request.kinds) {
    for (Levels& levels : points_of(kind, design, request)) wanted.push_back(std::move(levels));
  }
  std::set<Levels> seen;
  for (const Levels& levels : wanted) {
    if (!seen.insert(levels).second) continue;
    DesignPoint point{arm_name(design.factors, levels), levels};
    std::string reason = forbidden(factors, constraints, levels);
    try {
      if (reason.empty()) combine(registry, base, factors, levels);
    } catch (const UsageError& error) {
      reason = error.what();
    }
    if (reason.empty()) {
      design.points.push_back(std::move(point));
    } else {
      design.dropped.push_back({std::move(point), std::move(reason)});
    }
  }
  require_all(design, request, !forbidden(factors, constraints, all_on(design.factors)).empty());
  return design;
}

}  // namespace msda
