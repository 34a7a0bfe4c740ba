// The tables of effects and regimes.
#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/tables/matrix.hpp"
#include "render/tables/tables.hpp"
#include "render/text/text.hpp"
#include "render/words/words.hpp"

namespace msda {
namespace {

Section effects_of_problem(const AblationTable& table) {
  Section section = section_named("Effects: ", place_of(table));
  section.subject = &table;
  section.headline = headline(table);
  if (const EffectFamily* total = find_family(table, EffectKind::kTotal)) {
    const Effect& all = total->effects.front();
    if (all.ratio) section.gist = fmt::format("together {}x", short_ratio(*all.ratio));
  }
  std::vector<EffectLine> lines;
  for (const EffectFamily& family : table.families) {
    for (const Effect& effect : family.effects) lines.push_back({table, family, effect});
    if (!family.remark.empty()) {
      section.remarks.push_back(fmt::format("{}: {}.", name_of(family.kind), family.remark));
    }
  }
  set_rows(section, effect_columns(), lines);
  return section;
}

/// One effect of one kind over the problems of a mode.
struct PooledLine {
  const PooledFamily& family;
  const PooledEffect& effect;
};

/// Kinds whose effects tell most of single factors come first.
int rank_of(EffectKind kind) {
  if (kind == EffectKind::kMain) return 0;
  if (kind == EffectKind::kLeaveOneOut) return 1;
  return kind == EffectKind::kAddOne ? 2 : 3;
}

/// A column of effects as one of lines.
ColumnOf<PooledLine> of_line(const ColumnOf<PooledEffect>& column) {
  ColumnOf<PooledLine> of{column.key, Side::kNumbers,
                          [](const PooledLine&) { return std::string(); }};
  of.where = column.where;
  of.look = column.look;
  of.value = [value = column.value](const PooledLine& line) { return value(line.effect); };
  of.text = nullptr;
  if (column.text) {
    of.text = [text = column.text](const PooledLine& line, Footnotes& reasons) {
      return text(line.effect, reasons);
    };
  }
  of.has_interval = column.has_interval;
  of.number = column.number;
  return of;
}

/// The effects of all kinds over the problems of one mode, whose picture is that of the kind that
/// tells most of single factors.
Section effects_over_problems(const Ablation& ablation, TimingMode mode) {
  Section section = section_named("Effects over problems: ", std::string(name_of(mode)));
  section.of_all_problems = true;
  std::vector<PooledLine> lines;
  std::vector<std::string> problems;
  for (const PooledFamily& family : ablation.pooled) {
    if (family.mode != mode) continue;
    const auto* shown = section.of<PooledFamily>();
    if (shown == nullptr || rank_of(family.kind) < rank_of(shown->kind)) section.subject = &family;
    for (const std::string& problem : family.problems) {
      if (std::ranges::find(problems, problem) == problems.end()) problems.push_back(problem);
    }
    for (const PooledEffect& effect : family.effects) lines.push_back({family, effect});
  }
  ColumnsOf<PooledLine> columns{{"effect", Side::kWords, [](const PooledLine& l) {
                                   return std::string(name_of(l.family.kind));
                                 }}};
  for (const ColumnOf<PooledEffect>& column : pooled_columns()) {
    if ((column.where & kPeople) != 0) columns.push_back(of_line(column));
  }
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const auto ratio = [problem = problems[i]](const PooledLine& l) -> std::string {
      const auto found = std::ranges::find(l.family.problems, problem);
      if (found == l.family.problems.end()) return kAbsent;
      const auto& value =
          l.effect.by_problem[static_cast<std::size_t>(found - l.family.problems.begin())];
      return value ? ratio_text(*value) : kAbsent;
    };
    // Behind the kind and the factor.
    columns.insert(columns.begin() + 2 + static_cast<std::ptrdiff_t>(i),
                   {printable_line(problems[i]), Side::kNumbers, ratio});
  }
  set_rows(section, columns, lines);
  const auto differing =
      std::ranges::count_if(lines, [](const PooledLine& l) { return l.effect.heterogeneous; });
  section.gist = fmt::format("{} of {} depend on the problem", differing, lines.size());
  section.headline =
      fmt::format("{} of {} effects depend on the problem.", differing, lines.size());
  return section;
}

Section regimes_of_problem(const RegimeTable& table) {
  Section section = section_named("Regimes: ", printable_line(table.problem));
  double smallest = std::numeric_limits<double>::infinity();
  for (const RegimeRow& row : table.rows) {
    for (const RegimeCell& cell : row.cells) {
      if (cell.rank > 0) smallest = std::min(smallest, cell.median_seconds);
    }
  }
  const Scale scale = time_scale(smallest);
  ColumnsOf<RegimeRow> columns{
      {"arm", Side::kWords, [](const RegimeRow& row) { return printable_line(row.arm); }}};
  for (std::size_t i = 0; i < table.modes.size(); ++i) {
    const auto add = [&](const std::string& title, const auto& text) {
      columns.push_back({title, Side::kNumbers,
                         [=](const RegimeRow& row) -> std::string { return text(row.cells[i]); }});
    };
    add(fmt::format("{} [{}]", name_of(table.modes[i]), scale.unit), [=](const RegimeCell& cell) {
      return cell.rank > 0 ? scale.number(cell.median_seconds) : kAbsent;
    });
    add("ratio",
        [](const RegimeCell& cell) { return cell.speedup ? ratio_text(*cell.speedup) : kAbsent; });
    add("rank", [](const RegimeCell& cell) {
      return cell.rank > 0 ? fmt::format("{}", cell.rank) : kAbsent;
    });
  }
  columns.push_back({"flips with", Side::kWords, [](const RegimeRow& row) {
                       return printable_line(fmt::format("{}", fmt::join(row.flips_with, ", ")));
                     }});
  columns.push_back({"verdict", kNowhere, [](const RegimeRow& row) {
                       return row.flips_with.empty() ? "equal" : "undecided";
                     }});
  set_rows(section, columns, table.rows);
  const auto flipping = std::ranges::count(section.verdicts, "undecided");
  section.headline = flipping == 0 ? "No two arms significantly change places between the modes."
                                   : fmt::format(
                                         "{} of {} arms are significantly faster than another one "
                                         "in one mode and slower in another.",
                                         flipping, table.rows.size());
  section.gist = flipping == 0 ? "no changes" : fmt::format("{} arms change places", flipping);
  return section;
}

}  // namespace

const ColumnsOf<EffectLine>& effect_columns() {
  static const ColumnsOf<EffectLine> kColumns = {
      {"problem", kCsv, [](const EffectLine& l) { return l.table.problem; }},
      {"mode", kCsv, [](const EffectLine& l) { return l.table.mode; }},
      {"kind", kPeople | kCsv, Look("effect"), [](const EffectLine& l) { return l.family.kind; }},
      {"effect", kEverywhere, Look("factor"), [](const EffectLine& l) { return l.effect.label; }},
      {"factors", kJson, [](const EffectLine& l) { return l.effect.factors; }},
      {"speedup", kEverywhere, Look("speed-up", ColumnUnit::kRatio),
       [](const EffectLine& l) { return Estimate(l.effect.ratio, l.effect.ratio_95); }},
      {"share", kPeople, Look("share", ColumnUnit::kShare),
       [](const EffectLine& l) { return l.effect.share; }},
      {"p_difference", kEverywhere, Look("p (Holm)", ColumnUnit::kProbability),
       [](const EffectLine& l) { return l.effect.p_difference; }},
      {"p_equal", kFiles, [](const EffectLine& l) { return l.effect.p_equal; }},
      {"share", kFiles, [](const EffectLine& l) { return l.effect.share; }},  // behind the p-values
      {"error_ratio", kEverywhere, Look("error", ColumnUnit::kTimes),
       [](const EffectLine& l) { return l.effect.error_ratio; }},
      {"log_standard_error", kJson, [](const EffectLine& l) { return l.effect.standard_error; }},
      {"degrees_of_freedom", kJson,
       [](const EffectLine& l) { return l.effect.degrees_of_freedom; }},
      {"over", kJson,
       [](const EffectLine& l) {
         const bool processes = l.effect.replication == Replication::kProcesses;
         return processes ? "processes" : "blocks";
       }},
      {"count", kJson, [](const EffectLine& l) { return l.effect.replicates; }},
      {"verdict", kEverywhere, Look("verdict"),
       [](const EffectLine& l) { return l.effect.verdict; },
       [](const EffectLine& l, Footnotes& reasons) {
         return std::string(name_of(l.effect.verdict)) + footnote(reasons, l.effect.reason);
       }},
      {"reason", kFiles, [](const EffectLine& l) { return l.effect.reason; }},
  };
  return kColumns;
}

const ColumnsOf<PooledEffect>& pooled_columns() {
  static const ColumnsOf<PooledEffect> kColumns = {
      {"effect", kPeople | kJson, Look("factor"), [](const PooledEffect& e) { return e.label; }},
      {"factors", kJson, [](const PooledEffect& e) { return e.factors; }},
      {"by_problem", kJson,
       [](const PooledEffect& e) {
         return json_list(e.by_problem, [](const auto& ratio) { return to_value(ratio); });
       }},
      {"speedup", kPeople | kJson, Look("mean", ColumnUnit::kRatio),
       [](const PooledEffect& e) { return Estimate(e.ratio, e.ratio_95); }},
      {"spread", kPeople | kJson, Look("spread", ColumnUnit::kRatio),
       [](const PooledEffect& e) { return e.spread; }},
      {"p_same", kPeople | kJson, Look("p same", ColumnUnit::kProbability),
       [](const PooledEffect& e) { return e.p_same; }},
      {"heterogeneous", kJson, [](const PooledEffect& e) { return e.heterogeneous; }},
      {"verdict", kPeople | kJson, Look("verdict"), [](const PooledEffect& e) { return e.verdict; },
       [](const PooledEffect& e, Footnotes&) {
         return std::string(name_of(e.verdict)) +
                (e.heterogeneous ? ", depends on the problem" : "");
       }},
  };
  return kColumns;
}

std::vector<Section> effect_sections(const Report& report) {
  std::vector<Section> sections;
  if (!report.ablation) return sections;
  for (const AblationTable& table : report.ablation->tables) {
    if (!table.families.empty()) sections.push_back(effects_of_problem(table));
  }
  std::vector<TimingMode> modes;
  for (const PooledFamily& family : report.ablation->pooled) {
    if (std::ranges::find(modes, family.mode) != modes.end()) continue;
    modes.push_back(family.mode);
    sections.push_back(effects_over_problems(*report.ablation, family.mode));
  }
  if (!sections.empty()) {
    sections.front().remarks.push_back(
        fmt::format("speed-up: time without / time with; error: relative L2 with / without; "
                    "verdicts are corrected over the effects of one kind (Holm), equal is within "
                    "{:.0f}%.",
                    kEquivalence * 100));
  }
  return sections;
}

std::vector<Section> regime_sections(const Report& report) {
  std::vector<Section> sections;
  for (const RegimeTable& table : report.regimes) sections.push_back(regimes_of_problem(table));
  return sections;
}

}  // namespace msda
