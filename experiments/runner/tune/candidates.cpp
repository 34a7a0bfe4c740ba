#include "runner/tune/candidates.hpp"

#include <algorithm>
#include <map>
#include <random>

#include <fmt/format.h>

#include "parallel.hpp"
#include "runner/tune/sets.hpp"

namespace msda {
namespace {

constexpr const char* kBaseline = "the baseline, which the others have to beat";
constexpr const char* kDuplicate = "the same composition as another point";

}  // namespace

std::string to_text(const SpaceCount& count) {
  std::string text = fmt::format("space     {} points\n", count.points);
  const std::string about =
      count.is_whole() ? "" : fmt::format(" of {} drawn at random", count.looked_at);
  for (const ReasonCounts::Entry& removed : count.removed) {
    text += fmt::format("  {:>8}{} removed: {}\n", removed.count, about, removed.reason);
  }
  return text + fmt::format("  {:>8}{} left\n", count.left, about);
}

Candidates::Candidates(const Registry& registry, const SpaceSpec& spec, const Arm& baseline,
                       const std::vector<Arm>& known, const std::vector<ProblemSpec>& problems,
                       const DeviceInfo& device)
    : registry_(registry),
      spec_(spec),
      baseline_(baseline),
      arms_(known),
      problems_(problems),
      device_(device) {
  count_.points = spec.space.size();
  if (count_.points <= kMostCounted) {
    count_points();
  } else {
    sample_points();
  }
  add_known();
}

void Candidates::count_points() {
  std::vector<std::string> reasons(count_.points);
  std::vector<std::string> compositions(count_.points);
  constexpr std::int64_t kAtATime = 64;
  parallel_for(static_cast<std::int64_t>(count_.points), kAtATime, 0,
               [&](std::int64_t begin, std::int64_t end) {
                 for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end);
                      ++i) {
                   if (const auto point = tried(i, reasons[i]))
                     compositions[i] = point->composition;
                 }
               });
  ReasonCounts removed;
  std::map<std::string, std::uint64_t> first;
  for (std::uint64_t i = 0; i < count_.points; ++i) {
    if (reasons[i].empty() && compositions[i] == baseline_.composition) reasons[i] = kBaseline;
    if (reasons[i].empty() && !first.emplace(compositions[i], i).second) reasons[i] = kDuplicate;
    if (reasons[i].empty()) {
      all_.push_back(i);
    } else {
      removed.add(reasons[i]);
    }
  }
  count_.looked_at = count_.points;
  count_.left = all_.size();
  count_.removed = removed.most_first();
  for (const Arm& arm : arms_) {
    if (const auto point = first.find(arm.composition); point != first.end()) {
      known_numbers_.push_back(point->second);
    }
  }
}

void Candidates::sample_points() {
  constexpr std::uint64_t kDrawn = 10'000;
  std::mt19937_64 random(1);
  ReasonCounts removed;
  for (std::uint64_t i = 0; i < kDrawn; ++i) {
    const std::string reason = refusal(random() % count_.points);
    if (reason.empty()) {
      ++count_.left;
    } else {
      removed.add(reason);
    }
  }
  count_.looked_at = kDrawn;
  count_.removed = removed.most_first();
}

/// Those that the count has not found among the points.
void Candidates::add_known() {
  std::vector<std::string> there;
  for (const std::uint64_t number : known_numbers_) there.push_back(arm(number).composition);
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    const bool is_point =
        std::find(there.begin(), there.end(), arms_[a].composition) != there.end();
    const std::uint64_t number = spec_.space.size() + a;
    if (!is_point && refusal(number).empty()) known_numbers_.push_back(number);
  }
}

const Arm* Candidates::known_arm(std::uint64_t number) const {
  return number < spec_.space.size() ? nullptr : &arms_.at(number - spec_.space.size());
}

std::string Candidates::refusal(std::uint64_t number) const {
  if (const Arm* known = known_arm(number)) {
    return unsupported_reason(*known, problems_, device_);
  }
  std::string reason;
  tried(number, reason);
  return reason;
}

/// The point as an arm, or why it cannot run.
std::optional<Arm> Candidates::tried(std::uint64_t number, std::string& reason) const {
  const Levels levels = spec_.space.at(number);
  if (const auto rule = spec_.space.broken_rule(levels)) {
    reason = spec_.space.rules()[*rule].text;
    return std::nullopt;
  }
  try {
    Arm point = make_arm(registry_, name(number), uses_at(registry_, spec_, levels));
    if (point.resolved->runs_on(device_.kind)) {
      reason = unsupported_reason(point, problems_, device_);
    } else {
      reason = fmt::format("runs on {}, not on {}", point.resolved->devices_text(), device_.id);
    }
    if (reason.empty()) return point;
  } catch (const UsageError& error) {
    reason = error.what();
  }
  return std::nullopt;
}

std::string Candidates::name(std::uint64_t number) const {
  const Arm* known = known_arm(number);
  return known != nullptr ? known->name : fmt::format("c{}", number);
}

Arm Candidates::arm(std::uint64_t number) const {
  if (const Arm* known = known_arm(number)) return *known;
  return make_arm(registry_, name(number), uses_at(registry_, spec_, spec_.space.at(number)));
}

std::string Candidates::describe(std::uint64_t number) const {
  const Arm* known = known_arm(number);
  return known != nullptr ? known->composition : spec_.space.describe(spec_.space.at(number));
}

Levels Candidates::levels(std::uint64_t number) const {
  return known_arm(number) != nullptr ? Levels() : spec_.space.at(number);
}

}  // namespace msda
