#include "results/run_ranges.hpp"

#include <tuple>

#include "files/line_file.hpp"
#include "json_fields.hpp"
#include "json_text.hpp"
#include "results/json_lines.hpp"

namespace msda {

template <>
struct JsonFields<RunRange> {
  static auto list() {
    return std::tuple(
        json_field("device", &RunRange::device), json_field("problem", &RunRange::problem),
        json_field("mode", &RunRange::mode), json_field("phase", &RunRange::phase),
        json_field("begin", &RunRange::begin).finite(), json_field("end", &RunRange::end).finite(),
        json_field("steps", &RunRange::steps).finite().unless_empty());
  }
};

nlohmann::json to_json(const RunRange& range) { return write_json(range); }

RunRange run_range_from_json(const nlohmann::json& json) {
  return from_json_document<RunRange>(json, "range of a run");
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
