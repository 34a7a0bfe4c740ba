#include <string_view>

#include <fmt/format.h>

#include "json_line.hpp"
#include "render/ablation_json.hpp"
#include "render/counters_json.hpp"
#include "render/formats.hpp"
#include "render/headline.hpp"
#include "render/json_number.hpp"
#include "render/search_json.hpp"
#include "render/timeline_layout.hpp"
#include "statistics/noise_floor.hpp"

namespace msda {
namespace {

using Json = nlohmann::json;

/// The interval together with what it is over; null where there is none.
Json interval(const std::optional<Interval>& interval_95, Replication replication, int count) {
  if (!interval_95) return {};
  const bool processes = replication == Replication::kProcesses;
  return {{"low", interval_95->low},
          {"high", interval_95->high},
          {"over", processes ? "processes" : "blocks"},
          {"count", count}};
}

/// null for an arm without any.
Json prepasses(const std::optional<PrepassSplit>& split) {
  if (!split) return {};
  Json before = Json::array();
  for (const PartMedian& part : split->before) {
    before.push_back(
        {{"name", part.name}, {"median_seconds", part.seconds}, {"outside", part.outside}});
  }
  Json without;
  if (split->without) {
    without = {{"speedup", split->without->ratio}, {"verdict", name_of(classify(*split->without))}};
    if (const auto& interval_95 = split->without->interval_95) {
      without["speedup_95"] = {{"low", interval_95->low}, {"high", interval_95->high}};
    }
  }
  return {{"before", std::move(before)},
          {"kernel_seconds", split->kernel_seconds},
          {"total_seconds", split->total_seconds()},
          {"share", split->share()},
          {"without", std::move(without)}};
}

Json row_json(const Row& row) {
  const Record& record = row.record;
  const bool timed = row.timed();
  return {{"arm", record.arm},
          {"verdict", row.verdict},
          {"median_seconds", timed ? Json(row.median_seconds) : Json()},
          {"speedup", json_number(row.speedup)},
          {"speedup_95", interval(row.speedup_95, row.replication, row.replicates)},
          {"dram_bytes_per_second", timed ? Json(row.dram_bytes_per_second) : Json()},
          {"flops_per_second", timed ? Json(row.flops_per_second) : Json()},
          {"speed_of_light", json_number(row.speed_of_light)},
          {"bound", row.bound ? Json(name_of(*row.bound)) : Json()},
          {"prepasses", prepasses(row.prepasses)},
          {"repeats_baseline", row.repeats_baseline},
          {"vacuous", row.is_vacuous()},
          {"same_code_as", row.same_code_as},
          {"record", to_json_without_samples(record)}};
}

/// null where no arm has an interval.
Json noise_json(const std::optional<NoiseFloor>& floor) {
  if (!floor) return {};
  const RatioEstimate& ratio = floor->ratio;
  return {{"arm", floor->arm.empty() ? Json() : Json(floor->arm)},
          {"ratio", ratio.ratio},
          {"ratio_95", interval(ratio.interval_95, ratio.replication, ratio.replicates)},
          {"verdict", name_of(classify(ratio))},
          {"smallest_effect", floor->smallest_effect}};
}

Json claim_json(const CheckedClaim& checked) {
  Json object = {{"claim", to_json(checked.claim)},
                 {"verdict", name_of(checked.verdict)},
                 {"measured", json_number(checked.measured)},
                 {"problem", checked.problem},
                 {"mode", name_of(checked.mode)},
                 {"reason", checked.reason}};
  if (!checked.remark.empty()) object["remark"] = checked.remark;
  if (!checked.over.empty()) object["over"] = checked.over;
  if (checked.as_ratio) {
    object["as_ratio"] = {{"low", checked.as_ratio->low}, {"high", checked.as_ratio->high}};
  }
  if (checked.interval_95) {
    object["measured_95"] = interval(checked.interval_95, checked.replication, checked.replicates);
  }
  return object;
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
                     {"noise_floor", noise_json(noise_floor(table))}});
  text.back() = ',';
  text += "\"rows\":";
  append_array(text, table.rows,
               [](std::string& to, const Row& row) { to += json_line(row_json(row)); });
  text += '}';
}

}  // namespace

std::string to_json(const Report& report) {
  std::string text = fmt::format("{{\"schema\":{},\n\"manifest\":{},\n\"tables\":", kReportSchema,
                                 json_line(report.manifest));
  append_array(text, report.tables, append_table);
  text += ",\n\"claims\":";
  append_array(text, report.claims, [](std::string& to, const CheckedClaim& checked) {
    to += json_line(claim_json(checked));
  });
  text += ",\n\"ablation\":" + json_line(report.ablation ? to_json(*report.ablation) : Json());
  return text + ",\n\"regimes\":" + json_line(to_json(report.regimes)) +
         ",\n\"searches\":" + json_line(to_json(report.searches)) +
         ",\n\"counters\":" + json_line(to_json(report.counters)) +
         ",\n\"timeline\":" + json_line(report.timeline ? to_json(*report.timeline) : Json()) +
         "}\n";
}

}  // namespace msda
