#include "results/entries_json.hpp"

namespace msda {

using nlohmann::json;

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
struct JsonFields<Problem> : JsonMembers<&Problem::name, &Problem::batch, &Problem::queries,
                                         &Problem::heads, &Problem::channels, &Problem::points,
                                         &Problem::levels, &Problem::layout, &Problem::types> {};

/// The reference points of a problem and their type, left out of problems that have the usual ones.
struct ReferencesEntry {
  std::int64_t coordinates;
  std::int64_t anchors;
  double scale;
  std::vector<double> point_scales;
  DType type;

  static ReferencesEntry of(const Problem& problem) {
    return {problem.references.coordinates, problem.references.anchors, problem.references.scale,
            problem.references.point_scales, problem.types.reference};
  }
  friend bool operator==(const ReferencesEntry&, const ReferencesEntry&) = default;
};

template <>
struct JsonFields<ReferencesEntry> {
  static auto list() {
    using R = ReferencesEntry;
    return std::tuple(json_field("coordinates", &R::coordinates),
                      json_field("anchors", &R::anchors), json_field("scale", &R::scale).optional(),
                      json_field("point_scales", &R::point_scales).optional(),
                      json_field("type", &R::type));
  }
};

template <>
struct JsonFields<Generation> {
  static auto list() {
    using G = Generation;
    return std::tuple(
        json_field("distribution", &G::distribution), json_field("low", &G::low).optional(),
        json_field("high", &G::high).optional(), json_field("weights", &G::weights).optional(),
        json_field("query_order", &G::query_order), json_field("sigma", &G::sigma),
        json_field("outside_share", &G::outside_share), json_field("objects", &G::objects),
        json_field("seed", &G::seed));
  }
};

template <>
json write_json<ProblemSpec>(const ProblemSpec& spec) {
  json value = write_json(spec.problem);
  value["operator"] = spec.op;
  if (spec.problem.unasked != 0) value["unasked"] = spec.problem.unasked;
  if (spec.problem.padding) value["padding"] = true;
  if (!spec.problem.level_points.empty()) value["level_points"] = spec.problem.level_points;
  const auto references = ReferencesEntry::of(spec.problem);
  if (references != ReferencesEntry::of(Problem())) value["references"] = write_json(references);
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
  // Before there were several it was not told.
  if (const auto op = value.find("operator"); op != value.end()) {
    read_json(*op, JsonPlace(place, "operator"), spec.op);
  }
  if (const auto unasked = value.find("unasked"); unasked != value.end()) {
    read_json(*unasked, JsonPlace(place, "unasked"), spec.problem.unasked);
  }
  if (const auto padding = value.find("padding"); padding != value.end()) {
    read_json(*padding, JsonPlace(place, "padding"), spec.problem.padding);
  }
  if (const auto points = value.find("level_points"); points != value.end()) {
    read_json(*points, JsonPlace(place, "level_points"), spec.problem.level_points);
  }
  if (const auto found = value.find("references"); found != value.end()) {
    auto references = ReferencesEntry::of(Problem());
    read_json(*found, JsonPlace(place, "references"), references);
    spec.problem.references = {references.coordinates, references.anchors, references.scale,
                               references.point_scales};
    spec.problem.types.reference = references.type;
  }
  if (const auto directory = value.find("directory"); directory != value.end()) {
    read_json(*directory, JsonPlace(place, "directory"), spec.directory);
  } else if (const auto generation = value.find("generation"); generation != value.end()) {
    read_json(*generation, JsonPlace(place, "generation"), spec.generation);
  } else if (!place.may_lack()) {
    place.lacks("generation");
  }
}

}  // namespace msda
