#include "runner/spec/ablation_points.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "design/enumerate.hpp"
#include "design/fraction.hpp"
#include "runner/spec/parse.hpp"

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

}  // namespace

std::vector<Use> combine(const Registry& registry, const std::vector<Use>& base,
                         const std::vector<FactorSpec>& factors, const Levels& levels) {
  std::vector<Use> added;
  std::vector<Setting> settings;
  for (std::size_t f = 0; f < factors.size(); ++f) {
    const LevelChange& change = factors[f].changes.at(static_cast<std::size_t>(levels[f]));
    added.insert(added.end(), change.uses.begin(), change.uses.end());
    settings.insert(settings.end(), change.settings.begin(), change.settings.end());
  }
  std::vector<Use> uses = overlaid(registry, base, std::move(added));
  for (const Setting& setting : settings) {
    const auto use = std::find_if(uses.begin(), uses.end(), [&](const Use& candidate) {
      return candidate.variant == setting.variant;
    });
    if (use == uses.end()) {
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
  return design;
}

}  // namespace msda
