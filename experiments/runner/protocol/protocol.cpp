#include "runner/protocol/protocol.hpp"

#include <fmt/format.h>

#include <msda/error.hpp>

#include "problem/validate.hpp"
#include "runner/spec/parse.hpp"

namespace msda {
namespace {

using nlohmann::json;

ParameterValue parameter_from_json(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  return value.get<std::string>();
}

Types types_from_json(const json& value) {
  const auto type = [&](const char* key) { return parse_dtype(value.at(key).get<std::string>()); };
  return {type("value"), type("location"), type("weight"), type("output")};
}

Problem problem_from_json(const json& value) {
  Problem problem;
  problem.name = value.at("name");
  problem.batch = value.at("batch");
  problem.queries = value.at("queries");
  problem.heads = value.at("heads");
  problem.channels = value.at("channels");
  problem.points = value.at("points");
  for (const json& level : value.at("levels")) {
    problem.levels.push_back({level.at(0).get<std::int64_t>(), level.at(1).get<std::int64_t>()});
  }
  problem.layout = parse_layout(value.at("layout").get<std::string>());
  problem.types = types_from_json(value.at("types"));
  return problem;
}

json to_json(const Generation& generation) {
  return {{"distribution", name_of(generation.distribution)},
          {"sigma", generation.sigma},
          {"outside_share", generation.outside_share},
          {"objects", generation.objects},
          {"seed", generation.seed}};
}

Generation generation_from_json(const json& value) {
  Generation generation;
  generation.distribution = parse_distribution(value.at("distribution").get<std::string>());
  generation.sigma = value.at("sigma");
  generation.outside_share = value.at("outside_share");
  generation.objects = value.at("objects");
  generation.seed = value.at("seed");
  return generation;
}

ProblemSpec problem_spec_from_json(const json& value) {
  ProblemSpec spec;
  spec.problem = problem_from_json(value);
  if (value.contains("directory")) {
    spec.directory = value.at("directory").get<std::string>();
  } else {
    spec.generation = generation_from_json(value.at("generation"));
  }
  return spec;
}

json to_json(const Timeouts& timeouts) {
  return {{"compile", timeouts.compile.count()},
          {"prepare", timeouts.prepare.count()},
          {"verify", timeouts.verify.count()},
          {"measure", timeouts.measure.count()}};
}

Timeouts timeouts_from_json(const json& value) {
  const auto seconds = [&](const char* key) {
    return Timeouts::Seconds(value.at(key).get<double>());
  };
  return {seconds("compile"), seconds("prepare"), seconds("verify"), seconds("measure")};
}

MeasureSettings measure_from_json(const json& value) {
  MeasureSettings settings;
  settings.modes.clear();
  for (const json& mode : value.at("modes")) {
    settings.modes.push_back(parse_timing_mode(mode.get<std::string>()));
  }
  settings.processes = value.at("processes");
  settings.most_processes = value.at("most_processes");
  settings.precision = value.at("precision");
  settings.noise_pair = value.at("noise_pair");
  settings.blocks = value.at("blocks");
  settings.samples = value.at("samples");
  settings.warmup = value.at("warmup");
  settings.input_sets = value.at("input_sets");
  settings.seed = value.at("seed");
  settings.timeouts = timeouts_from_json(value.at("timeout_seconds"));
  settings.budget = std::chrono::duration<double>(value.at("budget_seconds").get<double>());
  return settings;
}

}  // namespace

json to_json(const ParameterValue& value) {
  return std::visit([](const auto& held) { return json(held); }, value);
}

json to_json(const Types& types) {
  return {{"value", name_of(types.value)},
          {"location", name_of(types.location)},
          {"weight", name_of(types.weight)},
          {"output", name_of(types.output)}};
}

json to_json(const ProblemSpec& spec) {
  const Problem& problem = spec.problem;
  json levels = json::array();
  for (const Level& level : problem.levels) levels.push_back({level.height, level.width});
  json value = {{"name", problem.name},
                {"batch", problem.batch},
                {"queries", problem.queries},
                {"heads", problem.heads},
                {"channels", problem.channels},
                {"points", problem.points},
                {"levels", std::move(levels)},
                {"layout", name_of(problem.layout)},
                {"types", to_json(problem.types)},
                {"description", describe(problem)},
                {"minimum_dram_bytes", problem.minimum_dram_bytes()},
                {"gathered_bytes", problem.gathered_bytes()},
                {"flops", problem.flops()}};
  if (spec.directory) {
    value["directory"] = spec.directory->string();
  } else {
    value["generation"] = to_json(spec.generation);
  }
  return value;
}

json to_json(const Arm& arm) {
  json uses = json::array();
  for (const Use& use : arm.uses) {
    json parameters = json::object();
    for (const auto& [name, value] : use.parameters) parameters[name] = to_json(value);
    uses.push_back({{"variant", use.variant}, {"parameters", std::move(parameters)}});
  }
  json object = {{"name", arm.name}, {"composition", arm.composition}, {"uses", std::move(uses)}};
  if (!arm.refused.empty()) object["refused"] = arm.refused;
  return object;
}

Arm arm_from_json(const json& value) {
  Arm arm{value.at("name"), {}, value.at("composition")};
  arm.refused = value.value("refused", "");
  for (const json& use : value.at("uses")) {
    Use& parsed = arm.uses.emplace_back();
    parsed.variant = use.at("variant");
    for (const auto& [name, parameter] : use.at("parameters").items()) {
      parsed.parameters.emplace(name, parameter_from_json(parameter));
    }
  }
  return arm;
}

json to_json(const MeasureSettings& settings) {
  json modes = json::array();
  for (const TimingMode mode : settings.modes) modes.push_back(name_of(mode));
  return {{"modes", std::move(modes)},
          {"processes", settings.processes},
          {"most_processes", settings.most_processes},
          {"precision", settings.precision},
          {"noise_pair", settings.noise_pair},
          {"blocks", settings.blocks},
          {"samples", settings.samples},
          {"warmup", settings.warmup},
          {"input_sets", settings.input_sets},
          {"seed", settings.seed},
          {"timeout_seconds", to_json(settings.timeouts)},
          {"budget_seconds", settings.budget.count()}};
}

json to_json(const DeviceInfo& info) {
  return {{"id", info.id},
          {"name", info.name},
          {"kind", name_of(info.kind)},
          {"compute_capability", info.compute_capability},
          {"multiprocessors", info.multiprocessors},
          {"memory_bytes", info.memory_bytes},
          {"l2_bytes", info.l2_bytes},
          {"shared_bytes", info.shared_bytes}};
}

DeviceInfo device_info_from_json(const json& value) {
  try {
    DeviceInfo info;
    info.id = value.at("id").get<std::string>();
    info.name = value.at("name").get<std::string>();
    const auto kind = value.at("kind").get<std::string>();
    for (const DeviceKind one : {DeviceKind::kCpu, DeviceKind::kCuda, DeviceKind::kSimt}) {
      if (kind == name_of(one)) info.kind = one;
    }
    value.at("compute_capability").get_to(info.compute_capability);
    value.at("multiprocessors").get_to(info.multiprocessors);
    value.at("memory_bytes").get_to(info.memory_bytes);
    value.at("l2_bytes").get_to(info.l2_bytes);
    value.at("shared_bytes").get_to(info.shared_bytes);
    return info;
  } catch (const json::exception& error) {
    throw UsageError(fmt::format("device: {}", error.what()));
  }
}

json to_json(const GroupRequest& request) {
  json arms = json::array();
  for (const Arm& arm : request.arms) arms.push_back(to_json(arm));
  return {{"experiment", request.experiment},
          {"problem", to_json(request.problem)},
          {"mode", name_of(request.mode)},
          {"arms", std::move(arms)},
          {"baseline", request.baseline},
          {"measure", to_json(request.measure)},
          {"process", request.process},
          {"timed", request.timed},
          {"profiled", request.profiled},
          {"separately", request.separately},
          {"keep", request.keep}};
}

GroupRequest group_request_from_json(const json& value) {
  try {
    GroupRequest request;
    request.experiment = value.at("experiment");
    request.problem = problem_spec_from_json(value.at("problem"));
    request.mode = parse_timing_mode(value.at("mode").get<std::string>());
    for (const json& arm : value.at("arms")) request.arms.push_back(arm_from_json(arm));
    request.baseline = value.at("baseline");
    request.measure = measure_from_json(value.at("measure"));
    request.process = value.at("process");
    request.timed = value.at("timed");
    request.profiled = value.at("profiled");
    request.separately = value.at("separately");
    request.keep = value.at("keep");
    return request;
  } catch (const json::exception& error) {
    throw Error(std::string("malformed request to the worker: ") + error.what());
  }
}

}  // namespace msda
