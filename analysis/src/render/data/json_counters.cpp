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

Json bytes_json(const std::vector<ByteClaim>& claims) {
  Json all = Json::array();
  for (const ByteClaim& claim : claims) {
    all.push_back({{"level", name_of(claim.step)},
                   {"declared_low", claim.low},
                   {"declared_high", claim.high},
                   {"counted", claim.counted},
                   {"verdict", name_of(claim.verdict)}});
  }
  return all;
}

Json launch_json(const CountedLaunch& launch) {
  Json loads = Json::array();
  const auto known = loads_of(launch);
  if (known) {
    for (const Load& load : known->loads) {
      loads.push_back(
          {{"name", load.name}, {"kind", kind_name(load.kind)}, {"seconds", load.seconds}});
    }
  }
  Json prepasses = Json::array();
  for (const KernelCounters& prepass : launch.prepasses) {
    prepasses.push_back(
        {{"part", prepass.part}, {"kernel", prepass.kernel}, {"values", values_json(prepass)}});
  }
  return {{"arm", launch.arm()},
          {"kernel", launch.kernel.kernel},
          {"profiled_seconds", known ? Json(known->seconds) : Json()},
          {"bound", known ? Json(bound_in_words(*known)) : Json()},
          {"loads", std::move(loads)},
          {"values", values_json(launch.kernel)},
          {"prepasses", std::move(prepasses)}};
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
  Json causes = Json::array();
  for (const Cause& cause : why.causes) causes.push_back(cause_json(cause));
  return {{"name", why.arm},
          {"over", why.over},
          {"pairs", explained.pairs},
          {"ratio", to_value(explained.ratio)},
          {"ratio_95", to_value(explained.ratio_95)},
          {"profiled_seconds_before", why.time_before},
          {"profiled_seconds_after", why.time_after},
          {"words", in_words(why)},
          {"causes", std::move(causes)}};
}

}  // namespace

Json to_json(const std::vector<CounterTable>& tables) {
  Json result = Json::array();
  for (const CounterTable& table : tables) {
    Json arms = Json::array();
    for (std::size_t i = 0; i < table.launches.size(); ++i) {
      arms.push_back(launch_json(table.launches[i]));
      if (i < table.bytes.size()) arms.back()["bytes"] = bytes_json(table.bytes[i]);
    }
    Json why = Json::array();
    for (const Explained& explained : table.arms) why.push_back(explained_json(explained));
    Json factors = Json::array();
    for (const Explained& explained : table.factors) factors.push_back(explained_json(explained));
    result.push_back({{"problem", table.problem},
                      {"mode", table.mode},
                      {"device", table.device},
                      {"tool", table.tool},
                      {"arms", std::move(arms)},
                      {"why", std::move(why)},
                      {"factors", std::move(factors)}});
  }
  return result;
}

}  // namespace msda
