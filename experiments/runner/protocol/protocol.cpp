#include "runner/protocol/protocol.hpp"

#include <fmt/format.h>
#include <msda/error.hpp>

#include "json_fields.hpp"
#include "problem/tensor_names.hpp"
#include "problem/validate.hpp"

namespace msda {

using nlohmann::json;

// A level is [height, width], as in YAML.
template <>
json write_json<Level>(const Level& level) {
  return {level.height, level.width};
}

template <>
void read_json<Level>(const json& value, const JsonPlace& place, Level& level) {
  std::vector<std::int64_t> sizes;
  read_json(value, place, sizes);
  if (sizes.size() != 2) place.must_be("[height, width]", value);
  level = {sizes[0], sizes[1]};
}

template <>
json write_json<ParameterValue>(const ParameterValue& value) {
  return std::visit([](const auto& held) { return json(held); }, value);
}

template <>
void read_json<ParameterValue>(const json& value, const JsonPlace& place,
                               ParameterValue& parameter) {
  if (value.is_boolean()) {
    parameter = value.get<bool>();
  } else if (value.is_number_integer()) {
    parameter = value.get<std::int64_t>();
  } else if (value.is_number()) {
    parameter = value.get<double>();
  } else {
    read_json(value, place, parameter.emplace<std::string>());
  }
}

template <>
struct JsonFields<Types> {
  static auto list() {
    return std::tuple(json_field("value", &Types::value), json_field("location", &Types::location),
                      json_field("weight", &Types::weight), json_field("output", &Types::output));
  }
};

template <>
struct JsonFields<Problem> {
  using P = Problem;
  static auto list() {
    return std::tuple(json_field("name", &P::name), json_field("batch", &P::batch),
                      json_field("queries", &P::queries), json_field("heads", &P::heads),
                      json_field("channels", &P::channels), json_field("points", &P::points),
                      json_field("levels", &P::levels), json_field("layout", &P::layout),
                      json_field("types", &P::types));
  }
};

template <>
struct JsonFields<Generation> {
  using G = Generation;
  static auto list() {
    return std::tuple(json_field("distribution", &G::distribution),
                      json_field("query_order", &G::query_order).optional(),
                      json_field("sigma", &G::sigma),
                      json_field("outside_share", &G::outside_share),
                      json_field("objects", &G::objects), json_field("seed", &G::seed));
  }
};

template <>
struct JsonFields<Use> {
  static auto list() {
    return std::tuple(json_field("variant", &Use::variant),
                      json_field("parameters", &Use::parameters));
  }
};

template <>
struct JsonFields<Arm> {
  static auto list() {
    return std::tuple(json_field("name", &Arm::name), json_field("composition", &Arm::composition),
                      json_field("uses", &Arm::uses),
                      json_field("refused", &Arm::refused).unless_empty(),
                      json_field("evidence", &Arm::evidence).unless_empty());
  }
};

template <>
struct JsonFields<Timeouts> {
  using T = Timeouts;
  static auto list() {
    return std::tuple(json_field("compile", &T::compile), json_field("prepare", &T::prepare),
                      json_field("verify", &T::verify), json_field("measure", &T::measure));
  }
};

template <>
struct JsonFields<MeasureSettings> {
  using M = MeasureSettings;
  static auto list() {
    return std::tuple(
        json_field("modes", &M::modes), json_field("processes", &M::processes),
        json_field("most_processes", &M::most_processes), json_field("precision", &M::precision),
        json_field("noise_pair", &M::noise_pair), json_field("blocks", &M::blocks),
        json_field("samples", &M::samples), json_field("warmup", &M::warmup),
        json_field("input_sets", &M::input_sets), json_field("seed", &M::seed),
        json_field("timeout_seconds", &M::timeouts), json_field("budget_seconds", &M::budget));
  }
};

template <>
struct Named<DeviceKind> {
  static constexpr const char* kWhat = "kind of device";
  static constexpr std::array kValues = {DeviceKind::kCpu, DeviceKind::kCuda, DeviceKind::kSimt};
};

template <>
struct JsonFields<DeviceInfo> {
  using D = DeviceInfo;
  static auto list() {
    return std::tuple(
        json_field("id", &D::id), json_field("name", &D::name), json_field("kind", &D::kind),
        json_field("compute_capability", &D::compute_capability),
        json_field("multiprocessors", &D::multiprocessors),
        json_field("memory_bytes", &D::memory_bytes), json_field("l2_bytes", &D::l2_bytes),
        json_field("shared_bytes", &D::shared_bytes));
  }
};

// The problem's fields, what it needs at least, and `directory` or `generation`.
template <>
json write_json<ProblemSpec>(const ProblemSpec& spec) {
  const Problem& problem = spec.problem;
  json value = write_json(problem);
  value.update({{"description", describe(problem)},
                {"minimum_dram_bytes", problem.minimum_dram_bytes()},
                {"gathered_bytes", problem.gathered_bytes()},
                {"flops", problem.flops()}});
  if (spec.directory) {
    value["directory"] = write_json(*spec.directory);
  } else {
    value["generation"] = write_json(spec.generation);
  }
  return value;
}

template <>
void read_json<ProblemSpec>(const json& value, const JsonPlace& place, ProblemSpec& spec) {
  read_json(value, place, spec.problem);
  if (const auto directory = value.find("directory"); directory != value.end()) {
    read_json(*directory, JsonPlace(place, "directory"), spec.directory);
  } else if (const auto generation = value.find("generation"); generation != value.end()) {
    read_json(*generation, JsonPlace(place, "generation"), spec.generation);
  } else {
    place.lacks("generation");
  }
}

template <>
struct JsonFields<GroupRequest> {
  using R = GroupRequest;
  static auto list() {
    return std::tuple(json_field("experiment", &R::experiment), json_field("problem", &R::problem),
                      json_field("mode", &R::mode), json_field("arms", &R::arms),
                      json_field("baseline", &R::baseline), json_field("measure", &R::measure),
                      json_field("process", &R::process), json_field("verified", &R::verified),
                      json_field("timed", &R::timed), json_field("profiled", &R::profiled),
                      json_field("evidence", &R::evidence),
                      json_field("separately", &R::separately), json_field("keep", &R::keep));
  }
};

json to_json(const ParameterValue& value) { return write_json(value); }
json to_json(const Types& types) { return write_json(types); }
json to_json(const ProblemSpec& spec) { return write_json(spec); }
json to_json(const Arm& arm) { return write_json(arm); }
json to_json(const MeasureSettings& settings) { return write_json(settings); }
json to_json(const DeviceInfo& info) { return write_json(info); }
json to_json(const GroupRequest& request) { return write_json(request); }

Arm arm_from_json(const json& value) { return from_json_document<Arm>(value, "arm"); }

DeviceInfo device_info_from_json(const json& value) {
  return from_json_document<DeviceInfo>(value, "device");
}

GroupRequest group_request_from_json(const json& value) {
  try {
    return from_json_document<GroupRequest>(value, "request");
  } catch (const UsageError& error) {
    throw Error(std::string("malformed request to the worker: ") + error.what());
  }
}

}  // namespace msda
