#include "results/search_log.hpp"

#include <fmt/format.h>
#include <msda/error.hpp>

#include "files/line_file.hpp"
#include "files/write.hpp"
#include "json_line.hpp"

namespace msda {
namespace {

using nlohmann::json;

json candidate_json(const SearchedCandidate& candidate) {
  json value = {{"number", candidate.number}, {"name", candidate.name}};
  if (!candidate.failure.empty()) {
    value["failure"] = candidate.failure;
    return value;
  }
  value["relative_l2"] = candidate.relative_l2;
  value["seconds"] = candidate.seconds;
  value["logs"] = candidate.logs;
  return value;
}

SearchedCandidate candidate_from(const json& value) {
  SearchedCandidate candidate;
  candidate.number = value.at("number").get<std::uint64_t>();
  candidate.name = value.at("name").get<std::string>();
  candidate.failure = value.value("failure", "");
  if (!candidate.failure.empty()) return candidate;
  candidate.relative_l2 = value.at("relative_l2").get<double>();
  candidate.seconds = value.at("seconds").get<double>();
  candidate.logs = value.at("logs").get<std::vector<double>>();
  return candidate;
}

}  // namespace

json to_json(const SearchTrial& trial) {
  json candidates = json::array();
  for (const SearchedCandidate& candidate : trial.candidates) {
    candidates.push_back(candidate_json(candidate));
  }
  return {{"problem", trial.problem},
          {"mode", name_of(trial.mode)},
          {"trial", trial.number},
          {"stage", trial.stage},
          {"seconds", trial.seconds},
          {"baseline_seconds", trial.baseline_seconds},
          {"candidates", std::move(candidates)}};
}

SearchTrial search_trial_from_json(const json& value) {
  try {
    SearchTrial trial;
    trial.problem = value.at("problem").get<std::string>();
    trial.mode = parse_timing_mode(value.at("mode").get<std::string>());
    trial.number = value.at("trial").get<int>();
    trial.stage = value.at("stage").get<std::string>();
    trial.seconds = value.at("seconds").get<double>();
    trial.baseline_seconds = value.at("baseline_seconds").get<double>();
    for (const json& candidate : value.at("candidates")) {
      trial.candidates.push_back(candidate_from(candidate));
    }
    return trial;
  } catch (const json::exception& error) {
    throw UsageError(fmt::format("not a trial of a search: {}", error.what()));
  }
}

std::vector<SearchTrial> read_search(const std::filesystem::path& file) {
  std::vector<SearchTrial> trials;
  if (!std::filesystem::exists(file)) return trials;
  const std::vector<std::string> lines = read_lines(file);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    try {
      trials.push_back(search_trial_from_json(json::parse(lines[i])));
    } catch (UsageError& error) {
      error.add_context(fmt::format("{}:{}", file.string(), i + 1));
      throw;
    } catch (const json::exception& error) {
      throw UsageError(
          fmt::format("{}:{}: not a JSON line: {}", file.string(), i + 1, error.what()));
    }
  }
  return trials;
}

void append_search(const std::filesystem::path& file, const SearchTrial& trial) {
  open_lines(file);
  append_line(file, json_line(to_json(trial)));
}

void write_search(const std::filesystem::path& file, const std::vector<SearchTrial>& trials) {
  std::string text;
  for (const SearchTrial& trial : trials) text += json_line(to_json(trial)) + "\n";
  write_atomically(file, text);
}

}  // namespace msda
