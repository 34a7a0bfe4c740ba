#include "runner/plan/best_match.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "problem/validate.hpp"

namespace msda {
namespace {

double doublings(std::int64_t a, std::int64_t b) {
  return std::abs(std::log2(static_cast<double>(a) / static_cast<double>(b)));
}

double distance(const Problem& a, const Problem& b) {
  return doublings(a.batch * a.queries, b.batch * b.queries) +
         doublings(a.batch * a.spatial_size(), b.batch * b.spatial_size()) +
         doublings(a.heads, b.heads) + doublings(a.channels, b.channels) +
         doublings(a.points, b.points) + doublings(a.level_count(), b.level_count());
}

Closeness closeness(const Winner& winner, const Problem& problem) {
  if (winner.is_of_family()) return Closeness::kFamily;
  if (same_shape(winner.problem.problem, problem)) return Closeness::kSame;
  return shape_class(winner.problem.problem) == shape_class(problem) ? Closeness::kClass
                                                                     : Closeness::kNear;
}

/// The family that a winner of one is for, among problems of the operator asked about: that may
/// borrow the skeletons of the winner's.
std::string family_served(const Winner& winner, const ProblemSpec& problem) {
  ProblemSpec searched = winner.problem;
  searched.op = problem.op;
  return family_of(searched);
}

bool is_near_enough(const Winner& winner, const ProblemSpec& problem, double farthest) {
  switch (closeness(winner, problem.problem)) {
    case Closeness::kFamily: return family_served(winner, problem) == family_of(problem);
    case Closeness::kNear: return distance(winner.problem.problem, problem.problem) <= farthest;
    default: return true;
  }
}

/// 0: this model, 1: the same compute capability, 2: the same kind.
int device_rank(const DeviceInfo& winner, const DeviceInfo& device) {
  if (winner.name == device.name) return 0;
  return winner.compute_capability == device.compute_capability ? 1 : 2;
}

/// Whether the winner is of the problem's operator, or of the one whose skeletons that borrows.
bool serves(const Winner& winner, const ProblemSpec& problem) {
  if (winner.problem.op == problem.op) return true;
  const auto borrowed = find_operator(problem.op).borrows();
  return borrowed && borrowed->op == winner.problem.op;
}

/// Whether it may be taken and can run, whatever the sizes that it was searched on.
bool can_serve(const Winner& winner, const Registry& registry, const ProblemSpec& problem,
               double error, const DeviceInfo& device) {
  if (winner.device.kind != device.kind || winner.error > error * (1 + 1e-9) ||
      winner.problem.problem.types != problem.problem.types || !serves(winner, problem)) {
    return false;
  }
  const Composition composition(registry, winner.uses);
  return composition.runs_on(device.kind) && !composition.unsupported(problem.problem, device) &&
         composition.refuses(find_operator(problem.op)).empty();
}

/// What decides, the most important first; less is nearer.
auto rank(const Winner& winner, const ProblemSpec& problem, TimingMode mode,
          const DeviceInfo& device) {
  const Closeness near = closeness(winner, problem.problem);
  const bool borrowed = winner.problem.op != problem.op;
  // Of other shapes the nearest one says more than one of the same operator.
  return std::tuple(near <= Closeness::kClass ? Closeness::kSame : near,
                    near != Closeness::kNear && borrowed, device_rank(winner.device, device), near,
                    -winner.error, distance(winner.problem.problem, problem.problem), borrowed,
                    winner.mode != mode, !same_locations(winner.problem, problem),
                    doublings_of_spread(winner.problem, problem));
}

std::string match_text(const BestMatch& match, const ProblemSpec& problem, TimingMode mode,
                       const DeviceInfo& device) {
  const Winner& winner = match.winner;
  std::string text = "exactly this shape";
  if (match.closeness == Closeness::kFamily) {
    text = fmt::format("a winner of its family on {} problems, at worst {:.3f}x the fastest arm",
                       1 + winner.others.size(), winner.worst);
  } else if (match.closeness != Closeness::kSame) {
    text = fmt::format(
        "{} {} ({:.1f} doublings away)",
        match.closeness == Closeness::kClass ? "the same shape class as" : "the nearest shape,",
        winner.problem.name(), match.doublings);
  }
  const int other = device_rank(winner.device, device);
  text += other == 0 ? ", on this model" : fmt::format(", on {}", winner.device.name);
  if (winner.mode != mode) text += fmt::format(", in mode {}", name_of(winner.mode));
  if (!same_locations(winner.problem, problem) && !winner.problem.directory) {
    text += fmt::format(", with {} locations", name_of(winner.problem.generation.distribution));
  }
  return text +
         fmt::format("; found {}, {:.3f}x over {}", winner.date, winner.gain, winner.baseline);
}

}  // namespace

std::optional<BestMatch> best_match(const std::vector<Winner>& winners, const Registry& registry,
                                    const ProblemSpec& problem, TimingMode mode, double error,
                                    const DeviceInfo& device, double farthest) {
  std::optional<BestMatch> best;
  for (const Winner& winner : winners) {
    if (!is_near_enough(winner, problem, farthest) ||
        !can_serve(winner, registry, problem, error, device)) {
      continue;
    }
    const auto own = rank(winner, problem, mode, device);
    if (best) {
      const auto other = rank(best->winner, problem, mode, device);
      if (own > other || (own == other && winner.date <= best->winner.date)) continue;
    }
    best = {winner, closeness(winner, problem.problem),
            distance(winner.problem.problem, problem.problem), ""};
  }
  if (best) best->text = match_text(*best, problem, mode, device);
  return best;
}

std::string why_no_match(const std::vector<Winner>& winners, const Registry& registry,
                         const ProblemSpec& problem, TimingMode mode, double error,
                         const DeviceInfo& device) {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  const auto nearest = [&](double largest_error) {
    return best_match(winners, registry, problem, mode, largest_error, device, kAny);
  };
  const auto of_family = std::ranges::find_if(winners, [&](const Winner& winner) {
    return winner.is_of_family() && can_serve(winner, registry, problem, kAny, device);
  });
  std::string why = "none for these types, on a device of this kind, can run it";
  if (const auto far = nearest(error)) {
    why = fmt::format("the nearest, {}, is {:.1f} doublings away, and more than {:.0f} are too far",
                      far->winner.problem.name(), far->doublings, kFarthestWinner);
  } else if (const auto coarse = nearest(kAny)) {
    why = fmt::format("that of {} may have an error of {:g}, and {:g} is allowed here",
                      coarse->winner.problem.name(), coarse->winner.error, error);
  } else if (of_family != winners.end()) {
    why = fmt::format("that of {} and {} more is for the family '{}', and this is of '{}'",
                      of_family->problem.name(), of_family->others.size(),
                      family_served(*of_family, problem), family_of(problem));
  }
  return fmt::format("no search has left a winner for {} ({})", describe(problem.problem), why);
}

}  // namespace msda
