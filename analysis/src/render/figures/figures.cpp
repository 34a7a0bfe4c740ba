#include "render/figures/figures.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "render/figures/values.hpp"
#include "render/html/web.hpp"

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
  std::ranges::sort(rows);  // pointers into one vector: the order of the table
  return rows;
}

/// A section among all.
struct Scene {
  const std::vector<Section>& sections;
  const Section& section;
};

/// Values of a section whose subject is a T; none of others.
template <class T, Json (*values)(const T&)>
Json of(const Scene& scene) {
  const T* subject = scene.section.of<T>();
  return subject == nullptr ? Json::array() : values(*subject);
}

/// The same of the rows of a table that are drawn.
template <Json (*values)(const Rows&), std::size_t most = kMostFigureArms>
Json of_arms(const Scene& scene) {
  const auto* table = scene.section.of<Table>();
  return table == nullptr ? Json::array() : values(fastest(*table, most));
}

/// Tables of a section's mode in their order, if it is the first of them.
std::vector<const Table*> tables_of_mode(const Scene& scene) {
  const auto* first = scene.section.of<Table>();
  std::vector<const Table*> tables;
  if (first == nullptr) return tables;
  for (const Section& section : scene.sections) {
    const auto* table = section.of<Table>();
    if (table != nullptr && table->mode == first->mode) tables.push_back(table);
  }
  if (tables.front() != first) tables.clear();
  return tables;
}

/// One for all problems of a mode, in the section of the first.
Json roofline(const Scene& scene) {
  const auto tables = tables_of_mode(scene);
  return tables.empty() ? Json::array() : roofline_values(tables);
}

std::string roofline_place(const Scene& scene) {
  const auto tables = tables_of_mode(scene);
  if (tables.size() == 1) return scene.section.place;
  return fmt::format("{} problems, {}", tables.size(), name_of(tables.front()->mode));
}

struct FigureKind {
  const char* name;    ///< of the file in analysis/web/figures, which has title and caption too
  std::size_t fewest;  ///< values; with less the figure is left out
  Json (*values)(const Scene& scene);
  std::string (*place)(const Scene& scene) = nullptr;  ///< where it is not the section's
};

constexpr FigureKind kKinds[] = {
    {"speedups", 2, of_arms<speedup_values>},
    {"pareto", 2, of_arms<pareto_values>},
    {"samples", 1, of_arms<sample_values>},
    {"blocks", 2, of_arms<block_values, kMostLines>},
    {"sol", 1, of_arms<sol_values>},
    {"roofline", 1, roofline, roofline_place},
    {"effects", 1, of<AblationTable, effect_values>},
    {"ladder", 1, of<AblationTable, ladder_values>},
    {"shapley", 1, of<AblationTable, shapley_values>},
    {"interactions", 1, of<AblationTable, interaction_values>},
    {"problems", 1, of<PooledFamily, problem_values>},
    {"sweep", 2, of<Report, sweep_values>},
    {"sweep-ratio", 2, of<Report, sweep_values>},
    {"landscape", 2, of<SearchReport, landscape_values>},
    {"levels", 2, of<SearchReport, level_values>},
    {"search", 2, of<SearchReport, search_progress_values>},
    {"time-parts", 1, of<CounterTable, time_part_values>},
    {"bounds", 1, of<CounterTable, bound_values>},
    {"savings", 1, of<std::vector<Explained>, saving_values>},
    {"timeline", 1, of<Timeline, timeline_values>},
};

/// What has figures for each problem, of which there can be hundreds.
bool is_of_one_problem(const Section& section) {
  return section.of<Table>() != nullptr || section.of<AblationTable>() != nullptr ||
         section.of<SearchReport>() != nullptr || section.of<CounterTable>() != nullptr;
}

/// Title and caption, which are for the report alone, are taken out of the specification.
Figure figure_from(const FigureKind& kind, Json values) {
  Figure figure;
  figure.specification = Json::parse(web_file(fmt::format("figures/{}.json", kind.name)));
  figure.specification["data"][0]["values"] = std::move(values);
  Json& words = figure.specification["usermeta"];
  figure.title = words["title"];
  figure.caption = words["caption"];
  words.erase("title");
  words.erase("caption");
  if (words.empty()) figure.specification.erase("usermeta");
  return figure;
}

}  // namespace

Json standalone(const Figure& figure) {
  Json specification = figure.specification;
  specification["padding"] = 8;
  specification["title"] = {{"text", figure.title + ": " + figure.place}};
  return specification;
}

std::vector<Figure> figures_of(const std::vector<Section>& sections) {
  std::vector<Figure> figures;
  std::size_t tables = 0;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (is_of_one_problem(sections[i]) && tables++ >= kMostFigureTables) continue;
    const Scene scene{sections, sections[i]};
    for (const FigureKind& kind : kKinds) {
      Json values = kind.values(scene);
      if (values.size() < kind.fewest) continue;
      figures.push_back(figure_from(kind, std::move(values)));
      figures.back().id = fmt::format("f{}-{}", i + 1, kind.name);
      figures.back().section = i;
      figures.back().place = kind.place == nullptr ? scene.section.place : kind.place(scene);
    }
  }
  return figures;
}

}  // namespace msda
