#include "counters/why.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace msda {
namespace {

constexpr double kSameTime = 0.02;    ///< one launch under a profiler does not tell less apart
constexpr double kWorthNaming = 0.1;  ///< of the difference
constexpr std::size_t kMostNamed = 3;

/// How much of a launch's time a cause can have bound.
double weight_of(const Cause& cause, const LaunchLoads& slower) {
  switch (cause.kind) {
    case Load::Kind::kIdle:
    case Load::Kind::kPrepass: return 1;
    case Load::Kind::kWaiting: {
      const Load* most = busiest(slower);
      return most == nullptr ? 1 : 1 - std::min(1.0, slower.share(*most));
    }
    case Load::Kind::kIssuing:
    case Load::Kind::kResource: break;
  }
  const Load* then = slower.find(cause.name);
  return then == nullptr ? 0 : std::min(1.0, slower.share(*then));
}

/// Whether a load of one launch, which the other lacks, was 0 there rather than not counted.
bool is_known(Load::Kind kind, const LaunchLoads& other) {
  switch (kind) {
    case Load::Kind::kPrepass: return true;
    case Load::Kind::kWaiting:
    case Load::Kind::kIdle: return other.splits_time();
    case Load::Kind::kIssuing:
    case Load::Kind::kResource: break;
  }
  return false;
}

Cause cause_of(const Load& any) {
  Cause cause;
  cause.name = any.name;
  cause.kind = any.kind;
  cause.resource = any.resource;
  return cause;
}

std::vector<Cause> causes_of(const LaunchLoads& before, const LaunchLoads& after) {
  std::vector<Cause> causes;
  for (const Load& load : before.loads) {
    const Load* other = after.find(load.name);
    if (other == nullptr && !is_known(load.kind, after)) continue;
    Cause& cause = causes.emplace_back(cause_of(load));
    cause.before = load.seconds;
    cause.work_before = load.work;
    if (other == nullptr) continue;
    cause.after = other->seconds;
    cause.work_after = other->work;
  }
  for (const Load& load : after.loads) {
    if (before.find(load.name) != nullptr || !is_known(load.kind, before)) continue;
    causes.emplace_back(cause_of(load)).after = load.seconds;
  }
  return causes;
}

std::string work_in_words(const Cause& cause) {
  if (cause.resource == nullptr) {
    return fmt::format("{} instead of {} us", plain_number(cause.after * 1e6),
                       plain_number(cause.before * 1e6));
  }
  const Resource& resource = *cause.resource;
  if (!cause.work_before || !cause.work_after) return "";
  return fmt::format("{} instead of {} {} {}", plain_number(*cause.work_after * resource.scale),
                     plain_number(*cause.work_before * resource.scale), resource.unit,
                     resource.work);
}

}  // namespace

std::string plain_number(double value) {
  return std::abs(value) >= 999.5 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

bool Why::differs() const { return std::abs(time_before - time_after) >= kSameTime * time_before; }

Why explain(const std::string& arm, const LaunchLoads& launch, const std::string& over,
            const LaunchLoads& before) {
  Why why{
      arm, over, before.seconds, launch.seconds, causes_of(before, launch), bound_in_words(launch)};
  const LaunchLoads& slower = before.seconds >= launch.seconds ? before : launch;
  const double saved = before.seconds - launch.seconds;
  for (Cause& cause : why.causes) {
    cause.weight = weight_of(cause, slower);
    cause.explains = saved == 0 ? 0 : (cause.before - cause.after) / saved;
  }
  std::ranges::stable_sort(why.causes, [](const Cause& a, const Cause& b) {
    return a.explains * a.weight > b.explains * b.weight;
  });
  return why;
}

std::vector<Cause> main_causes(const Why& why) {
  std::vector<Cause> causes;
  if (!why.differs()) return causes;
  for (const Cause& cause : why.causes) {
    if (cause.explains >= kWorthNaming && causes.size() < kMostNamed) causes.push_back(cause);
  }
  return causes;
}

std::string in_short(const Cause& cause) {
  const std::string work = work_in_words(cause);
  const std::string text = fmt::format("{} {:.0f}%", cause.name, cause.explains * 100);
  return work.empty() ? text : fmt::format("{} ({})", text, work);
}

std::string in_words(const Why& why) {
  std::string text = fmt::format("{} takes {:.4g} us where {} takes {:.4g}", why.arm,
                                 why.time_after * 1e6, why.over, why.time_before * 1e6);
  if (!why.differs()) return text + ": no difference to explain.";
  if (why.causes.empty()) return text + "; nothing that was busy was counted.";
  const std::vector<Cause> causes = main_causes(why);
  if (causes.empty()) return text + "; no counter explains a tenth of the difference.";
  std::vector<std::string> parts;
  parts.reserve(causes.size());
  for (const Cause& cause : causes) parts.push_back(in_short(cause));
  return text + fmt::format(". Of the difference: {}. Now bound by: {}.", fmt::join(parts, ", "),
                            why.bound);
}

}  // namespace msda
