#include <algorithm>

#include <fmt/format.h>

#include "render/tables/tables.hpp"

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

std::string meaning_of(const TimeUse& use) {
  for (const Meaning& meaning : kMeanings) {
    if (use.name == meaning.use) return meaning.words;
  }
  return "";
}

}  // namespace

Section timeline_section(const Timeline& timeline) {
  Section section{.title = "Time of the run", .place = "the run"};
  section.subject = &timeline;
  section.of_all_problems = section.spare = true;
  const double total = timeline.total();
  const auto most = std::ranges::max_element(
      timeline.uses, [](const TimeUse& a, const TimeUse& b) { return a.seconds < b.seconds; });
  section.headline = fmt::format("In {:.3g} s most of the time, {:.0f}%, went into: {}.",
                                 timeline.seconds, 100 * most->seconds / total, most->name);
  section.gist = fmt::format("{:.3g} s", timeline.seconds);
  const ColumnsOf<TimeUse> columns = {
      {"use", Side::kWords, [](const TimeUse& use) { return use.name; }},
      {"[s]", Side::kNumbers,
       [](const TimeUse& use) { return fmt::format("{:.2f}", use.seconds); }},
      {"share", Side::kNumbers,
       [total](const TimeUse& use) { return fmt::format("{:.1f}%", 100 * use.seconds / total); }},
      {"what", Side::kWords, meaning_of}};
  set_rows(section, columns, timeline.uses);
  return section;
}

}  // namespace msda
