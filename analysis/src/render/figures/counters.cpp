#include <fmt/format.h>

#include "render/figures/values.hpp"
#include "render/text/text.hpp"

namespace msda {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostArms = 60;

/// A figure's colours tell so many apart; what is rarer stands together.
std::string part_name(const std::string& name) {
  const bool rare = name == "waiting for instructions" || name == "waiting otherwise" ||
                    name == "waiting to queue a load";
  return rare ? "waiting otherwise" : name;
}

std::string microseconds(double seconds) { return plain_number(seconds * 1e6) + " us"; }

}  // namespace

Json time_part_values(const CounterTable& table) {
  Json values = Json::array();
  for (std::size_t i = 0; i < std::min(kMostArms, table.launches.size()); ++i) {
    const CountedLaunch& launch = table.launches[i];
    const auto loads = loads_of(launch);
    if (!loads) continue;
    const std::string arm = printable_line(launch.arm());
    double at = 0;
    for (const Load& load : loads->loads) {
      if (load.kind == Load::Kind::kResource) continue;
      values.push_back({{"arm", arm},
                        {"part", part_name(load.name)},
                        {"from", at},
                        {"to", at + load.seconds},
                        {"tip", fmt::format("{}: {} {}, {:.0f}% of {}", arm, load.name,
                                            microseconds(load.seconds), loads->share(load) * 100,
                                            microseconds(loads->seconds))}});
      at += load.seconds;
    }
  }
  return values;
}

Json bound_values(const CounterTable& table) {
  Json values = Json::array();
  for (std::size_t i = 0; i < std::min(kMostArms, table.launches.size()); ++i) {
    const CountedLaunch& launch = table.launches[i];
    const std::string arm = printable_line(launch.arm());
    for (const Resource& resource : resources()) {
      const auto busy = launch.kernel.find(resource.busy_metric);
      if (!busy) continue;
      const auto work = launch.kernel.find(resource.work_metric);
      const std::string done = work
                                   ? fmt::format(", {} {} {}", plain_number(*work * resource.scale),
                                                 resource.unit, resource.work)
                                   : "";
      values.push_back(
          {{"arm", arm},
           {"resource", resource.name},
           {"share", *busy / 100},
           {"tip", fmt::format("{}: {} {:.0f}% busy{}", arm, resource.name, *busy, done)}});
    }
  }
  return values;
}

Json saving_values(const std::vector<Explained>& factors) {
  Json values = Json::array();
  for (const Explained& explained : factors) {
    const Why& why = explained.why;
    const std::string factor = printable_line(why.arm);
    double saved = 0;
    double added = 0;
    for (const Cause& cause : why.causes) {
      if (cause.kind == Load::Kind::kResource) continue;
      const double change = cause.after - cause.before;
      double& at = change < 0 ? saved : added;
      values.push_back(
          {{"factor", factor},
           {"part", part_name(cause.name)},
           {"from", at},
           {"to", at + change},
           {"sum", why.time_after - why.time_before},
           {"tip", fmt::format("{}: {} {:+.3g} us", factor, cause.name, change * 1e6)}});
      at += change;
    }
  }
  return values;
}

Json timeline_values(const Timeline& timeline) {
  Json values = Json::array();
  for (const TimeStrip& strip : timeline.strips) {
    values.push_back({{"use", strip.use},
                      {"begin", strip.begin},
                      {"end", strip.end},
                      {"share", strip.share},
                      {"tip", fmt::format("{}: {:.0f}% of the time from {:.1f} to {:.1f} s",
                                          strip.use, strip.share * 100, strip.begin, strip.end)}});
  }
  return values;
}

}  // namespace msda
