// `use: best`: which of the winners of earlier searches serves a problem on a device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/experiment/winners.hpp"

namespace msda {

/// How near a winner's problem is to the one asked about.
enum class Closeness {
  kSame,    ///< the same shape
  kClass,   ///< the same shape class
  kFamily,  ///< a winner of a family that the problem belongs to
  kNear,    ///< another shape
};

struct BestMatch {
  Winner winner;
  Closeness closeness = Closeness::kNear;
  double doublings = 0;  ///< between their sizes, see best_match()
  std::string text;      ///< "exactly this shape, on this model, ..."
};

/// Doublings up to which a winner of another shape class is taken. On one H200 winners that were 7
/// and 9 away were as fast as any recipe or faster, and one that was 13 away was 1.13 times slower
/// than `wide-loads`.
inline constexpr double kFarthestWinner = 10;

/// The nearest winner whose types are the problem's, whose error bound is at most `error` and whose
/// composition can run. Nearest is, in this order:
///   1. the same shape, or the same class, before a winner of the problem's family, and this
///      before another shape;
///   2. this model of device, one of the same compute capability, another one of its kind;
///   3. the same shape before the same class; then the larger error bound, which leaves more to
///      choose from; then the smaller distance, the sum of the factors, as
///      powers of two, by which rows, pixels, heads, channels, points and levels differ;
///   4. the same timing mode, the same distribution of locations, the later date.
/// One of another class that is more than `farthest` doublings away is none, nor is a family's of
/// another family. nullopt when there is
/// none.
std::optional<BestMatch> best_match(const std::vector<Winner>& winners, const Registry& registry,
                                    const ProblemSpec& problem, TimingMode mode, double error,
                                    const DeviceInfo& device, double farthest = kFarthestWinner);

/// Why best_match() with these arguments, and the usual distance, finds none: "no search has left a
/// winner for ... (...)".
std::string why_no_match(const std::vector<Winner>& winners, const Registry& registry,
                         const ProblemSpec& problem, TimingMode mode, double error,
                         const DeviceInfo& device);

}  // namespace msda
