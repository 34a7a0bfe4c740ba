#include "render/columns.hpp"
#include "render/data/json.hpp"

namespace msda {
namespace {

using Json = nlohmann::json;

const char* kind_name(Load::Kind kind) {
  switch (kind) {
    case Load::Kind::kIssuing: return "issuing";
    case Load::Kind::kWaiting: return "waiting";
    case Load::Kind::kIdle: return "idle";
    case Load::Kind::kPrepass: return "pre-pass";
    case Load::Kind::kResource: break;
  }
  return "resource";
}

Json values_json(const KernelCounters& kernel) {
  Json values = Json::object();
  for (const Resource& resource : resources()) {
    if (const auto work = kernel.find(resource.work_metric)) values[resource.work_metric] = *work;
  }
  return values;
}

Json byte_json(const ByteClaim& claim) {
  return {{"level", name_of(claim.step)},
          {"declared_low", claim.low},
          {"declared_high", claim.high},
          {"counted", claim.counted},
          {"verdict", name_of(claim.verdict)}};
}

Json load_json(const Load& load) {
  return {{"name", load.name}, {"kind", kind_name(load.kind)}, {"seconds", load.seconds}};
}

Json prepass_json(const KernelCounters& prepass) {
  return {{"part", prepass.part}, {"kernel", prepass.kernel}, {"values", values_json(prepass)}};
}

Json launch_json(const CountedLaunch& launch) {
  const auto known = loads_of(launch);
  return {{"arm", launch.arm()},
          {"kernel", launch.kernel.kernel},
          {"profiled_seconds", known ? Json(known->seconds) : Json()},
          {"bound", known ? Json(bound_in_words(*known)) : Json()},
          {"loads", known ? json_list(known->loads, load_json) : Json::array()},
          {"values", values_json(launch.kernel)},
          {"prepasses", json_list(launch.prepasses, prepass_json)}};
}

Json cause_json(const Cause& cause) {
  return {{"name", cause.name},
          {"kind", kind_name(cause.kind)},
          {"seconds_before", cause.before},
          {"seconds_after", cause.after},
          {"work_before", to_value(cause.work_before)},
          {"work_after", to_value(cause.work_after)},
          {"explains", cause.explains},
          {"weight", cause.weight}};
}

Json explained_json(const Explained& explained) {
  const Why& why = explained.why;
  return {{"name", why.arm},
          {"over", why.over},
          {"pairs", explained.pairs},
          {"ratio", to_value(explained.ratio)},
          {"ratio_95", to_value(explained.ratio_95)},
          {"profiled_seconds_before", why.time_before},
          {"profiled_seconds_after", why.time_after},
          {"words", in_words(why)},
          {"causes", json_list(why.causes, cause_json)}};
}

}  // namespace

Json to_json(const std::vector<CounterTable>& tables) {
  return json_list(tables, [](const CounterTable& table) -> Json {
    Json arms = json_list(table.launches, launch_json);
    for (std::size_t i = 0; i < table.bytes.size(); ++i) {
      arms[i]["bytes"] = json_list(table.bytes[i], byte_json);
    }
    return {{"problem", table.problem},
            {"mode", table.mode},
            {"device", table.device},
            {"tool", table.tool},
            {"arms", std::move(arms)},
            {"why", json_list(table.arms, explained_json)},
            {"factors", json_list(table.factors, explained_json)}};
  });
}

}  // namespace msda
