#include "runner/experiment/winners.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "files/read.hpp"
#include "files/write.hpp"
#include "problem/tensor_names.hpp"
#include "problem/validate.hpp"
#include "runner/experiment/outputs.hpp"
#include "runner/experiment/parse.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFileName = "winners.yaml";
constexpr double kLargest = std::numeric_limits<double>::max();

constexpr const char* kHeader =
    "# Compositions that msda tune found, each confirmed in fresh processes on unseen inputs. An\n"
    "# experiment takes the one that is nearest to its problem and device with `use: best`\n"
    "# (docs/tuning.md). The program writes this file; entries may be taken away by hand.\n";

int nearest_power(std::int64_t value) {
  return static_cast<int>(std::lround(std::log2(static_cast<double>(value))));
}

DeviceKind parse_kind(const YamlNode& node) {
  const std::string text = node.as_text();
  for (const DeviceKind kind : {DeviceKind::kCpu, DeviceKind::kCuda, DeviceKind::kSimt}) {
    if (text == name_of(kind)) return kind;
  }
  node.fail(fmt::format("no kind of device '{}': there are cpu, cuda, simt", text));
}

Winner parse_winner(const YamlNode& node, const fs::path& beside, const Registry& registry) {
  const YamlMap map = node.as_map();
  map.allow_only({"device", "kind", "compute_capability", "problem", "others", "mode", "error",
                  "use", "baseline", "gain", "gain_95", "searched_gain", "microseconds", "worst",
                  "date", "command", "program"});
  Winner winner;
  winner.place = to_string(node.place());
  winner.device.name = map.require("device").as_text();
  winner.device.kind = parse_kind(map.require("kind"));
  winner.device.compute_capability =
      static_cast<int>(map.require("compute_capability").as_integer(0, 1000));
  winner.problem = parse_problem(map.require("problem"), beside);
  if (const auto others = map.find("others")) {
    for (const YamlNode& node : others->as_list("problem")) {
      winner.others.push_back(parse_problem(node, beside));
    }
  }
  if (const auto worst = map.find("worst")) winner.worst = worst->as_number(0, 1);
  const YamlNode mode = map.require("mode");
  winner.mode = mode.locate([&] { return parse_timing_mode(mode.as_text()); });
  winner.error = map.require("error").as_number(0, 1);
  winner.uses = parse_uses(map.require("use"), {}, registry);
  winner.baseline = map.require("baseline").as_text();
  winner.gain = map.require("gain").as_number(0, kLargest);
  const std::vector<YamlNode> bounds = map.require("gain_95").as_list("bound");
  if (bounds.size() != 2) map.require("gain_95").fail("an interval is [low, high]");
  winner.gain_low = bounds[0].as_number(0, kLargest);
  winner.gain_high = bounds[1].as_number(0, kLargest);
  winner.searched_gain = map.require("searched_gain").as_number(0, kLargest);
  winner.seconds = map.require("microseconds").as_number(0, kLargest) * 1e-6;
  winner.date = map.require("date").as_text();
  winner.command = map.require("command").as_text();
  winner.program = map.require("program").as_text();
  return winner;
}

YAML::Node flow(YAML::Node node) {
  node.SetStyle(YAML::EmitterStyle::Flow);
  return node;
}

YAML::Node types_node(const Types& types) {
  if (types == Types::all(types.value)) return YAML::Node(std::string(name_of(types.value)));
  YAML::Node node;
  node["value"] = std::string(name_of(types.value));
  node["location"] = std::string(name_of(types.location));
  node["weight"] = std::string(name_of(types.weight));
  node["output"] = std::string(name_of(types.output));
  return flow(node);
}

/// The shortest text that reads as the value. (yaml-cpp writes 17 digits of a number in a node.)
std::string shortest(double value) { return fmt::format("{}", value); }

/// Shape, types and where generated locations lie; tensors that were read are only a shape here.
YAML::Node problem_node(const ProblemSpec& spec) {
  const Problem& problem = spec.problem;
  YAML::Node node;
  node["name"] = problem.name;
  if (spec.op != kDefaultOperator) node["operator"] = spec.op;
  node["batch"] = problem.batch;
  node["queries"] = problem.queries;
  node["heads"] = problem.heads;
  node["channels"] = problem.channels;
  if (problem.level_points.empty()) {
    node["points"] = problem.points;
  } else {
    node["points"] = flow(YAML::Node(problem.level_points));
  }
  for (const Level& level : problem.levels) {
    YAML::Node size;
    size.push_back(level.height);
    size.push_back(level.width);
    node["levels"].push_back(size);
  }
  if (problem.layout != ValueLayout::kPlain) node["layout"] = std::string(name_of(problem.layout));
  node["types"] = types_node(problem.types);
  if (problem.references != References() || problem.types.reference != Types().reference) {
    YAML::Node references;
    references["coordinates"] = problem.references.coordinates;
    if (problem.references.anchors != 0) references["anchors"] = problem.references.anchors;
    if (problem.references.scale != References().scale) {
      references["scale"] = shortest(problem.references.scale);
    }
    for (const double scale : problem.references.point_scales) {
      references["point_scales"].push_back(shortest(scale));
    }
    references["type"] = std::string(name_of(problem.types.reference));
    node["references"] = flow(references);
  }
  if (problem.padding) node["padding"] = true;
  if (problem.unasked != 0) {
    YAML::Node outputs(asked_outputs(problem, find_operator(spec.op)));
    node["outputs"] = flow(outputs);
  }
  if (!spec.directory) {
    node["distribution"] = std::string(name_of(spec.generation.distribution));
    node["sigma"] = spec.generation.sigma;
  }
  return flow(node);
}

YAML::Node use_node(const Use& use) {
  if (use.parameters.empty()) return YAML::Node(use.variant);
  YAML::Node parameters;
  for (const auto& [name, value] : use.parameters) {
    std::visit([&, key = name](const auto& held) { parameters[key] = held; }, value);
  }
  YAML::Node node;
  node[use.variant] = parameters;
  return node;
}

std::string rounded(double value) { return shortest(std::round(value * 1e4) / 1e4); }

YAML::Node winner_node(const Winner& winner) {
  YAML::Node node;
  node["device"] = winner.device.name;
  node["kind"] = std::string(name_of(winner.device.kind));
  node["compute_capability"] = winner.device.compute_capability;
  node["problem"] = problem_node(winner.problem);
  for (const ProblemSpec& other : winner.others) node["others"].push_back(problem_node(other));
  node["mode"] = std::string(name_of(winner.mode));
  node["error"] = shortest(winner.error);
  YAML::Node uses(YAML::NodeType::Sequence);
  for (const Use& use : winner.uses) uses.push_back(use_node(use));
  node["use"] = flow(uses);
  node["baseline"] = winner.baseline;
  node["gain"] = rounded(winner.gain);
  YAML::Node bounds;
  bounds.push_back(rounded(winner.gain_low));
  bounds.push_back(rounded(winner.gain_high));
  node["gain_95"] = flow(bounds);
  node["searched_gain"] = rounded(winner.searched_gain);
  node["microseconds"] = rounded(winner.seconds * 1e6);
  if (winner.is_of_family()) node["worst"] = rounded(winner.worst);
  node["date"] = winner.date;
  node["command"] = winner.command;
  node["program"] = winner.program;
  return node;
}

std::string text_of(const std::vector<YAML::Node>& entries) {
  YAML::Node list(YAML::NodeType::Sequence);
  for (const YAML::Node& entry : entries) list.push_back(entry);
  YAML::Node file;
  file["winners"] = list;
  YAML::Emitter emitter;
  emitter << file;
  return std::string(kHeader) + emitter.c_str() + "\n";
}

/// True where the one is what a search of the same kind as the other's found. A family has one
/// winner, whatever problems it was searched on.
bool answers_the_same(const Winner& a, const Winner& b) {
  if (a.is_of_family() != b.is_of_family()) return false;
  const bool same = a.device.name == b.device.name && a.mode == b.mode && a.error == b.error;
  if (a.is_of_family()) return same && family_of(a.problem) == family_of(b.problem);
  return same && a.problem.op == b.problem.op && same_shape(a.problem.problem, b.problem.problem) &&
         a.problem.problem.types == b.problem.problem.types &&
         same_locations(a.problem, b.problem) && doublings_of_spread(a.problem, b.problem) == 0;
}

std::vector<YamlNode> entries_of(const fs::path& file) {
  const YamlMap map = YamlNode::parse(read_text(file, kMostHandwritten), file.string()).as_map();
  map.allow_only({"winners"});
  return map.require("winners").as_list_or_empty("winner");
}

}  // namespace

bool same_shape(const Problem& a, const Problem& b) {
  return a.batch == b.batch && a.queries == b.queries && a.heads == b.heads &&
         a.channels == b.channels && a.points == b.points && a.level_points == b.level_points &&
         a.levels == b.levels && a.references == b.references && a.padding == b.padding &&
         a.layout == b.layout && a.unasked == b.unasked;
}

bool same_locations(const ProblemSpec& a, const ProblemSpec& b) {
  if (a.directory.has_value() != b.directory.has_value()) return false;
  return a.directory.has_value() || a.generation.distribution == b.generation.distribution;
}

double doublings_of_spread(const ProblemSpec& a, const ProblemSpec& b) {
  const auto spread = [](const ProblemSpec& spec) {
    const auto& generation = spec.generation;
    const bool has_one = !spec.directory && (generation.distribution == Distribution::kLocal ||
                                             generation.distribution == Distribution::kClustered);
    return has_one ? generation.sigma : 0;
  };
  const double of_a = spread(a);
  const double of_b = spread(b);
  return of_a > 0 && of_b > 0 ? std::abs(std::log2(of_a / of_b)) : 0;
}

std::string shape_class(const Problem& problem) {
  return fmt::format(
      "H{} C{} P{} L{} 2^{} rows 2^{} {} pixels", problem.heads, problem.channels,
      points_text(problem), problem.level_count(), nearest_power(problem.batch * problem.queries),
      nearest_power(problem.batch * problem.spatial_size()), name_of(problem.layout));
}

std::string family_of(const ProblemSpec& spec) {
  const Problem& problem = spec.problem;
  const Types& types = problem.types;
  std::string stored(name_of(types.value));
  if (types != Types::all(types.value)) {
    stored += fmt::format("/{}/{}/{}", name_of(types.location), name_of(types.weight),
                          name_of(types.output));
  }
  const References& references = problem.references;
  const bool many = problem.queries * 4 >= problem.spatial_size();
  std::string rest;
  if (references != References()) {
    rest += fmt::format(" {} coordinates {} anchors", references.coordinates, references.anchors);
  }
  if (references.scale != References().scale) rest += fmt::format(" scale {}", references.scale);
  if (!references.point_scales.empty()) {
    rest += fmt::format(" of points {}", fmt::join(references.point_scales, ","));
  }
  if (problem.padding) rest += " padded";
  return fmt::format("{} H{} C{} P{} L{} {} {} {} queries{}", spec.op, problem.heads,
                     problem.channels, points_text(problem), problem.level_count(),
                     name_of(problem.layout), stored, many ? "many" : "few", rest);
}

std::vector<Winner> read_winners(const fs::path& file, const Registry& registry,
                                 std::vector<std::string>& notes) {
  std::vector<Winner> winners;
  for (const YamlNode& entry : entries_of(file)) {
    try {
      winners.push_back(parse_winner(entry, file.parent_path(), registry));
    } catch (const UsageError& error) {
      notes.push_back(fmt::format("a winner is left out: {}", error.what()));
    }
  }
  return winners;
}

std::string to_yaml(const std::vector<Winner>& winners) {
  std::vector<YAML::Node> entries;
  entries.reserve(winners.size());
  for (const Winner& winner : winners) entries.push_back(winner_node(winner));
  return text_of(entries);
}

std::vector<Winner> save_winners(const fs::path& file, const std::vector<Winner>& found,
                                 const Registry& registry) {
  std::vector<const Winner*> added;
  added.reserve(found.size());
  for (const Winner& winner : found) added.push_back(&winner);
  std::vector<YAML::Node> entries;
  std::vector<Winner> kept;
  if (fs::exists(file)) {
    for (const YamlNode& entry : entries_of(file)) {
      bool stays = true;
      try {
        Winner there = parse_winner(entry, file.parent_path(), registry);
        const auto better = std::find_if(added.begin(), added.end(), [&](const Winner* winner) {
          return answers_the_same(*winner, there);
        });
        if (better != added.end()) {
          stays = there.confirmed() && !(*better)->confirmed();
          if (stays) {
            added.erase(better);
            kept.push_back(std::move(there));
          }
        }
      } catch (const UsageError&) {
        // It stays: a plugin that is missing here is there elsewhere.
      }
      if (stays) entries.push_back(entry.yaml());
    }
  }
  for (const Winner* winner : added) entries.push_back(winner_node(*winner));
  std::error_code ignored;  // writing says what is wrong
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), ignored);
  write_atomically(file, text_of(entries));
  return kept;
}

void check_winners_file(const fs::path& file) {
  std::error_code ignored;  // what cannot be asked for cannot be written either
  if (fs::is_directory(file, ignored)) {
    throw UsageError(fmt::format("{} is a directory, not a file of winners", file.string()));
  }
  require_file_place(file);
  if (fs::exists(file, ignored)) static_cast<void>(entries_of(file));
  fs::path place = file.parent_path();
  while (!place.empty() && !fs::exists(place, ignored)) place = place.parent_path();
  if (place.empty()) place = ".";
  const bool is_directory = fs::is_directory(place, ignored);
  if (is_directory && ::access(place.c_str(), W_OK | X_OK) == 0) return;
  throw EnvironmentError(
      fmt::format("no winners can be written to {}: {}: {}", file.string(), place.string(),
                  is_directory ? std::generic_category().message(errno) : "is not a directory"));
}

std::vector<fs::path> winners_files(const fs::path& experiment) {
  std::vector<fs::path> places{experiment.parent_path() / kFileName, default_winners_file()};
  for (const fs::path& directory : experiments_directories()) {
    places.push_back(directory / kFileName);
  }
  std::vector<fs::path> files;
  for (const fs::path& place : places) {
    const bool again = std::any_of(files.begin(), files.end(), [&](const fs::path& file) {
      std::error_code ignored;
      return fs::equivalent(file, place, ignored);
    });
    if (fs::exists(place) && !again) files.push_back(place);
  }
  return files;
}

std::vector<Winner> all_winners(const fs::path& experiment, const Registry& registry,
                                std::vector<std::string>& notes) {
  std::vector<Winner> winners;
  for (const fs::path& file : winners_files(experiment)) {
    for (Winner& winner : read_winners(file, registry, notes)) {
      winners.push_back(std::move(winner));
    }
  }
  return winners;
}

fs::path default_winners_file() { return fs::path("results") / kFileName; }

}  // namespace msda
