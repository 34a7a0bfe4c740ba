#include "results/run_ranges.hpp"

#include <fmt/format.h>
#include <msda/error.hpp>
#include <nlohmann/json.hpp>

#include "files/line_file.hpp"
#include "json_line.hpp"
#include "results/json_lines.hpp"

namespace msda {

nlohmann::json to_json(const RunRange& range) {
  nlohmann::json json = {{"device", range.device}, {"problem", range.problem}, {"mode", range.mode},
                         {"phase", range.phase},   {"begin", range.begin},     {"end", range.end}};
  if (!range.steps.empty()) json["steps"] = range.steps;
  return json;
}

RunRange run_range_from_json(const nlohmann::json& json) {
  RunRange range;
  try {
    json.at("device").get_to(range.device);
    json.at("problem").get_to(range.problem);
    json.at("mode").get_to(range.mode);
    json.at("phase").get_to(range.phase);
    json.at("begin").get_to(range.begin);
    json.at("end").get_to(range.end);
    if (json.contains("steps")) json.at("steps").get_to(range.steps);
  } catch (const nlohmann::json::exception& error) {
    throw UsageError(fmt::format("this is no range of a run: {}", error.what()));
  }
  return range;
}

std::vector<RunRange> read_ranges(const std::filesystem::path& file) {
  return read_json_lines(file, run_range_from_json);
}

void append_ranges(const std::filesystem::path& file, const std::vector<RunRange>& ranges) {
  if (ranges.empty()) return;
  open_lines(file);
  std::string lines;
  for (const RunRange& range : ranges) {
    lines += (lines.empty() ? "" : "\n") + json_line(to_json(range));
  }
  append_line(file, lines);
}

}  // namespace msda
