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

Section effects_over_problems(const PooledFamily& family) {
  Section section = section_named(
      "Effects over problems: ", fmt::format("{}, {}", name_of(family.kind), name_of(family.mode)));
  section.subject = &family;
  section.of_all_problems = true;
  const auto differing =
      std::ranges::count_if(family.effects, [](const PooledEffect& e) { return e.heterogeneous; });
  section.gist = fmt::format("{} of {} depend on the problem", differing, family.effects.size());
  section.headline =
      fmt::format("{} of {} effects depend on the problem.", differing, family.effects.size());
  ColumnsOf<PooledEffect> columns = pooled_columns();
  for (std::size_t i = 0; i < family.problems.size(); ++i) {
    const auto ratio = [i](const PooledEffect& e) {
      return e.by_problem[i] ? ratio_text(*e.by_problem[i]) : kAbsent;
    };
    // Behind the factor's name.
    columns.insert(columns.begin() + 1 + static_cast<std::ptrdiff_t>(i),
                   {printable_line(family.problems[i]), Side::kNumbers, ratio});
  }
  set_rows(section, columns, family.effects);
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
  section.headline =
      flipping == 0
          ? "No two arms surely change places between the modes."
          : fmt::format(
                "{} of {} arms surely beat another one in one mode and lose to it in another.",
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
      {"speedup", kEverywhere, Look("speed-up", Unit::kRatio),
       [](const EffectLine& l) { return Estimate(l.effect.ratio, l.effect.ratio_95); }},
      {"share", kPeople, Look("share", Unit::kShare),
       [](const EffectLine& l) { return l.effect.share; }},
      {"p_difference", kEverywhere, Look("p (Holm)", Unit::kProbability),
       [](const EffectLine& l) { return l.effect.p_difference; }},
      {"p_equal", kFiles, [](const EffectLine& l) { return l.effect.p_equal; }},
      {"share", kFiles, [](const EffectLine& l) { return l.effect.share; }},  // behind the p-values
      {"error_ratio", kEverywhere, Look("error", Unit::kTimes),
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
      {"speedup", kPeople | kJson, Look("mean", Unit::kRatio),
       [](const PooledEffect& e) { return Estimate(e.ratio, e.ratio_95); }},
      {"spread", kPeople | kJson, Look("spread", Unit::kRatio),
       [](const PooledEffect& e) { return e.spread; }},
      {"p_same", kPeople | kJson, Look("p same", Unit::kProbability),
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
  for (const PooledFamily& family : report.ablation->pooled) {
    sections.push_back(effects_over_problems(family));
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
