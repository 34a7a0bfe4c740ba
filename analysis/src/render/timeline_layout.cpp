#include "render/timeline_layout.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace msda {
namespace {

struct Meaning {
  const char* use;
  const char* words;
};

constexpr Meaning kMeanings[] = {
    {"idle", "a worker starts, or none is at work"},
    {"compile", "composed kernels, several at a time"},
    {"inputs", "and references"},
    {"prepare", "load, bind, check what the device can run"},
    {"verify", "against the reference"},
    {"warm up", "and spoiling the output before samples"},
    {"samples", "launches that are timed"},
    {"parts", "timed kernel by kernel"},
    {"flush", "of the L2 before cold samples"},
    {"check", "of the outputs behind the samples"},
    {"other", "between these"},
};

std::string meaning_of(const std::string& use) {
  for (const Meaning& meaning : kMeanings) {
    if (use == meaning.use) return meaning.words;
  }
  return "";
}

}  // namespace

using Json = nlohmann::json;

Layout lay_out_timeline(const Timeline& timeline) {
  Layout layout;
  layout.timeline = &timeline;
  layout.of_all_problems = true;
  layout.title = "Time of the run";
  const double total = timeline.total();
  const auto most =
      std::max_element(timeline.uses.begin(), timeline.uses.end(),
                       [](const TimeUse& a, const TimeUse& b) { return a.seconds < b.seconds; });
  layout.headline = fmt::format("In {:.3g} s most of the time, {:.0f}%, went into: {}.",
                                timeline.seconds, 100 * most->seconds / total, most->name);
  layout.gist = fmt::format("{:.3g} s", timeline.seconds);
  layout.columns = {{"use", false}, {"[s]"}, {"share"}, {"what", false}};
  for (const TimeUse& use : timeline.uses) {
    layout.rows.push_back({use.name, fmt::format("{:.2f}", use.seconds),
                           fmt::format("{:.1f}%", 100 * use.seconds / total),
                           meaning_of(use.name)});
    layout.verdicts.emplace_back("");
  }
  return layout;
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

Json to_json(const Timeline& timeline) {
  Json uses = Json::array();
  for (const TimeUse& use : timeline.uses) {
    uses.push_back({{"name", use.name}, {"seconds", use.seconds}});
  }
  Json strips = Json::array();
  for (const TimeStrip& strip : timeline.strips) {
    strips.push_back(
        {{"use", strip.use}, {"begin", strip.begin}, {"end", strip.end}, {"share", strip.share}});
  }
  return {{"seconds", timeline.seconds}, {"uses", std::move(uses)}, {"strips", std::move(strips)}};
}

}  // namespace msda
