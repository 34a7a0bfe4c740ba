#include <string_view>

#include <fmt/format.h>

#include "json_line.hpp"
#include "render/data/json.hpp"
#include "render/formats.hpp"
#include "render/tables/tables.hpp"
#include "render/words/words.hpp"

namespace msda {
namespace {

using Json = nlohmann::json;

/// null where no arm has an interval.
Json noise_json(const std::optional<NoiseFloor>& floor) {
  if (!floor) return {};
  const RatioEstimate& ratio = floor->ratio;
  const Estimate estimate{ratio.ratio, ratio.interval_95, ratio.replication, ratio.replicates};
  return {{"arm", floor->arm.empty() ? Json() : Json(floor->arm)},
          {"ratio", ratio.ratio},
          {"ratio_95", to_value(estimate)["interval"]},
          {"verdict", name_of(classify(ratio))},
          {"smallest_effect", floor->smallest_effect}};
}

/// Elements on lines of their own. The tree of one element lives at a time: that of a whole report
/// would take many times its text.
template <class Elements, class Text>
void append_array(std::string& text, const Elements& elements, const Text& append_element) {
  text += '[';
  bool first = true;
  for (const auto& element : elements) {
    text += first ? "\n" : ",\n";
    first = false;
    append_element(text, element);
  }
  text += "\n]";
}

void append_table(std::string& text, const Table& table) {
  // The braces of an object without its rows, which follow.
  text += json_line({{"problem", table.problem},
                     {"mode", name_of(table.mode)},
                     {"headline", headline(table)},
                     {"noise_floor", noise_json(table.noise)}});
  text.back() = ',';
  text += "\"rows\":";
  append_array(text, table.rows, [](std::string& to, const Row& row) {
    to += json_line(json_of(cell_columns(), row));
  });
  text += '}';
}

}  // namespace

std::string to_json(const Report& report) {
  std::string text = fmt::format("{{\"schema\":{},\n\"manifest\":{},\n\"tables\":", kReportSchema,
                                 json_line(report.manifest));
  append_array(text, report.tables, append_table);
  text += ",\n\"claims\":";
  append_array(text, report.claims, [](std::string& to, const CheckedClaim& checked) {
    to += json_line(json_of(claim_columns(), checked));
  });
  text += ",\n\"ablation\":" + json_line(report.ablation ? to_json(*report.ablation) : Json());
  return text + ",\n\"regimes\":" + json_line(to_json(report.regimes)) +
         ",\n\"searches\":" + json_line(to_json(report.searches)) +
         ",\n\"counters\":" + json_line(to_json(report.counters)) +
         ",\n\"timeline\":" + json_line(report.timeline ? to_json(*report.timeline) : Json()) +
         "}\n";
}

}  // namespace msda
