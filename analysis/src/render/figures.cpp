#include "render/figures.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "render/counters_figures.hpp"
#include "render/effect_figures.hpp"
#include "render/roofline_figure.hpp"
#include "render/search_figures.hpp"
#include "render/table_figures.hpp"
#include "render/text.hpp"
#include "render/timeline_layout.hpp"
#include "render/web.hpp"

namespace msda {
namespace {

using Json = nlohmann::json;

/// Arms in the figure of blocks: as many as its colours tell apart.
constexpr std::size_t kMostLines = 8;
/// The fastest rows with a time, `most` at most, in the table's order.
Rows fastest(const Table& table, std::size_t most) {
  Rows rows;
  for (const Row& row : table.rows) {
    if (row.timed()) rows.push_back(&row);
  }
  if (rows.size() <= most) return rows;
  const auto faster = [](const Row* a, const Row* b) {
    return a->median_seconds < b->median_seconds;
  };
  std::nth_element(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(most), rows.end(),
                   faster);
  rows.resize(most);
  std::sort(rows.begin(), rows.end());  // pointers into one vector: the order of the table
  return rows;
}

struct FigureKind {
  const char* name;  ///< of the file in analysis/web/figures
  const char* title;
  const char* caption;
  std::size_t most_arms;
  std::size_t fewest_values;  ///< with less the figure is left out
  Json (*values)(const Rows&);
};

struct EffectFigureKind {
  const char* name;
  const char* title;
  const char* caption;
  Json (*values)(const AblationTable&);
};

constexpr EffectFigureKind kEffectKinds[] = {
    {"effects", "Effects",
     "What each factor is worth alone, on average, and on top of all the others, with 95% "
     "intervals. Points of a factor that lie apart are interaction.",
     effect_values},
    {"ladder", "Ladder",
     "The way from the base to all factors, in the order of the experiment. Another order has "
     "other steps.",
     ladder_values},
    {"shapley", "Shares",
     "Shapley shares: the part of each factor in the total, averaged over all orders.",
     shapley_values},
    {"interactions", "Interactions",
     "How many times more a factor is worth where the other one is on. Above 1 they help each "
     "other, below 1 they do the same work twice.",
     interaction_values}};

struct SearchFigureKind {
  const char* name;
  const char* title;
  const char* caption;
  Json (*values)(const SearchReport&);
};

constexpr SearchFigureKind kSearchKinds[] = {
    {"landscape", "Landscape",
     "The candidates that have a time, the fastest first. A flat left end says that many do as "
     "well; a steep one that the choice matters.",
     landscape_values},
    {"levels", "What a level costs",
     "The fastest candidate with each level over the fastest of all, and the winner with this one "
     "change over the winner.",
     level_values},
    {"search", "Search",
     "The best candidate so far, as the search saw it: a noisy best looks better than it is, which "
     "the confirmation puts right.",
     search_progress_values}};

struct CounterFigureKind {
  const char* name;
  const char* title;
  const char* caption;
  Json (*values)(const CounterTable&);
};

constexpr CounterFigureKind kCounterKinds[] = {
    {"time-parts", "Where the time goes",
     "The profiled launch of each arm: an instruction was issued, no warp was ready (by what they "
     "waited for), an SM had no more work, or a pre-pass ran.",
     time_part_values},
    {"bounds", "What was busy",
     "The part of the main kernel's time in which each resource was busy. Near 100% it is what "
     "bounds the kernel.",
     bound_values}};

struct SavingsKind {
  const char* name = "savings";
  const char* title = "What each factor saves";
  const char* caption =
      "Time of a profiled launch with the factor less that without it, by what the time goes into, "
      "as the mean over pairs of arms that differ in it alone. Left of the line is saved, right of "
      "it is added; the mark is the sum.";
};
constexpr SavingsKind kSavings;

struct TimelineKind {
  const char* name = "timeline";
  const char* title = "Time line";
  const char* caption =
      "What the run was doing when: the height is the share of the time, over all devices. Pauses "
      "between attempts are cut out.";
};
constexpr TimelineKind kTimeline;

constexpr FigureKind kKinds[] = {
    {"speedups", "Speedups",
     "Each arm against the baseline, with its 95% interval. Right of the dashed line is faster.",
     kMostFigureArms, 2, speedup_values},
    {"pareto", "Error against time",
     "The dashed line is the front: no other arm is both faster and more accurate. Lower left is "
     "better.",
     kMostFigureArms, 2, pareto_values},
    {"samples", "Samples",
     "Ticks are samples, the box holds the middle half, the bold mark is the median.",
     kMostFigureArms, 1, sample_values},
    {"blocks", "Time by block",
     "Median of each block against the arm's own, process by process. Lines that move together are "
     "the machine's drift, which cancels in the ratios; an arm that is off in a whole process is "
     "why "
     "the process is the unit of replication.",
     kMostLines, 2, block_values},
    {"sol", "Speed of light",
     "% SOL: the least time that the device's ceilings allow, as a part of the time taken. The "
     "line "
     "is the limit.",
     kMostFigureArms, 1, sol_values},
};

struct RooflineKind {
  const char* name = "roofline";
  const char* title = "Roofline";
  const char* caption =
      "Arms of all problems in this mode, the fastest of each by name. The line is what the "
      "device's "
      "ceilings allow: from DRAM on the left, from the first-level caches on the right. Where the "
      "data fit into a warm L2, an arm can lie above its slope.";
};
constexpr RooflineKind kRoofline;

struct ProblemsKind {
  const char* name = "problems";
  const char* title = "Which factor helps where";
  const char* caption =
      "Time without a factor over time with it, at each problem. Green is faster, red slower.";
};
constexpr ProblemsKind kProblems;

/// A section of the report, by its number there.
struct Section {
  std::size_t index;
  std::string place;
};

template <class Table>
Section section_of(std::size_t index, const Table& table) {
  return {index, fmt::format("{}, {}", printable_line(table.problem), name_of(table.mode))};
}

template <class Kind>
Figure make_figure(const Section& section, const Kind& kind, Json values) {
  Json specification = Json::parse(web_file(fmt::format("figures/{}.json", kind.name)));
  specification["data"][0]["values"] = std::move(values);
  return {fmt::format("f{}-{}", section.index + 1, kind.name),
          section.index,
          section.place,
          kind.title,
          kind.caption,
          std::move(specification)};
}

void add_figures(const Table& table, const Section& section, std::vector<Figure>& figures) {
  for (const FigureKind& kind : kKinds) {
    Json values = kind.values(fastest(table, kind.most_arms));
    if (values.size() < kind.fewest_values) continue;
    figures.push_back(make_figure(section, kind, std::move(values)));
  }
}

void add_figures(const AblationTable& effects, const Section& section,
                 std::vector<Figure>& figures) {
  for (const EffectFigureKind& kind : kEffectKinds) {
    Json values = kind.values(effects);
    if (!values.empty()) figures.push_back(make_figure(section, kind, std::move(values)));
  }
}

void add_figures(const SearchReport& search, const Section& section, std::vector<Figure>& figures) {
  for (const SearchFigureKind& kind : kSearchKinds) {
    Json values = kind.values(search);
    if (values.size() > 1) figures.push_back(make_figure(section, kind, std::move(values)));
  }
}

void add_figures(const CounterTable& counters, std::size_t index, std::vector<Figure>& figures) {
  const Section section{index, fmt::format("{}, {}", printable_line(counters.problem),
                                           printable_line(counters.mode))};
  for (const CounterFigureKind& kind : kCounterKinds) {
    Json values = kind.values(counters);
    if (!values.empty()) figures.push_back(make_figure(section, kind, std::move(values)));
  }
}

void add_figures(const std::vector<Explained>& factors, const Layout& layout, std::size_t index,
                 std::vector<Figure>& figures) {
  Json values = saving_values(factors);
  if (!values.empty()) {
    figures.push_back(make_figure({index, layout.title}, kSavings, std::move(values)));
  }
}

void add_figures(const PooledFamily& family, std::size_t index, std::vector<Figure>& figures) {
  Json values = problem_values(family);
  if (values.empty()) return;
  const Section section{index, fmt::format("{}, {}", name_of(family.kind), name_of(family.mode))};
  figures.push_back(make_figure(section, kProblems, std::move(values)));
}

/// Tables of a mode, in the order of their layouts.
std::vector<const Table*> tables_of(const std::vector<Layout>& layouts, TimingMode mode) {
  std::vector<const Table*> tables;
  for (const Layout& layout : layouts) {
    if (layout.table != nullptr && layout.table->mode == mode) tables.push_back(layout.table);
  }
  return tables;
}

/// One for all problems of a mode, in the section of the first.
void add_roofline(const std::vector<Layout>& layouts, std::size_t index,
                  std::vector<Figure>& figures) {
  const Table& table = *layouts[index].table;
  const std::vector<const Table*> tables = tables_of(layouts, table.mode);
  if (tables.front() != &table) return;
  Json values = roofline_values(tables);
  if (values.empty()) return;
  const std::string place =
      tables.size() == 1 ? section_of(index, table).place
                         : fmt::format("{} problems, {}", tables.size(), name_of(table.mode));
  figures.push_back(make_figure({index, place}, kRoofline, std::move(values)));
}

}  // namespace

Json standalone(const Figure& figure) {
  Json specification = figure.specification;
  specification["padding"] = 8;
  specification["title"] = {{"text", figure.title + ": " + figure.place}};
  return specification;
}

std::vector<Figure> figures_of(const std::vector<Layout>& layouts) {
  std::vector<Figure> figures;
  std::size_t tables = 0;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const Layout& layout = layouts[i];
    if (layout.table != nullptr && tables++ < kMostFigureTables) {
      add_figures(*layout.table, section_of(i, *layout.table), figures);
      add_roofline(layouts, i, figures);
    }
    if (layout.effects != nullptr && tables++ < kMostFigureTables) {
      add_figures(*layout.effects, section_of(i, *layout.effects), figures);
    }
    if (layout.search != nullptr && tables++ < kMostFigureTables) {
      add_figures(*layout.search, section_of(i, *layout.search), figures);
    }
    if (layout.pooled != nullptr) add_figures(*layout.pooled, i, figures);
    if (layout.counters != nullptr && tables++ < kMostFigureTables) {
      add_figures(*layout.counters, i, figures);
    }
    if (layout.timeline != nullptr) {
      figures.push_back(make_figure({i, "the run"}, kTimeline, timeline_values(*layout.timeline)));
    }
    if (layout.explained != nullptr) add_figures(*layout.explained, layout, i, figures);
  }
  return figures;
}

}  // namespace msda
