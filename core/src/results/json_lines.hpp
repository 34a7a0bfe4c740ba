// Files of one JSON value in each line: what is broken is named by file and line.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>
#include <msda/error.hpp>
#include <nlohmann/json.hpp>

#include "files/line_file.hpp"
#include "json_text.hpp"

namespace msda {

/// What `from_json` makes of line `number` (1, 2, ...) of the file. Throws UsageError.
template <class FromJson>
auto parse_json_line(std::string_view line, const std::filesystem::path& file, std::size_t number,
                     const FromJson& from_json) {
  try {
    return from_json(parse_json(line));
  } catch (UsageError& error) {
    error.add_context(fmt::format("{}:{}", file.string(), number));
    throw;
  } catch (const nlohmann::json::parse_error& error) {
    throw UsageError(fmt::format("{}:{}: not a JSON line: it is wrong from character {} on",
                                 file.string(), number, error.byte));
  } catch (const nlohmann::json::exception&) {
    throw UsageError(
        fmt::format("{}:{}: not a JSON line that this program reads", file.string(), number));
  }
}

/// Of all lines that are not empty; none without the file. A torn last line is ignored. Throws
/// UsageError.
template <class FromJson>
auto read_json_lines(const std::filesystem::path& file, const FromJson& from_json) {
  std::vector<std::invoke_result_t<FromJson, const nlohmann::json&>> values;
  if (!std::filesystem::exists(file)) return values;
  const std::vector<std::string> lines = read_lines(file);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].empty()) values.push_back(parse_json_line(lines[i], file, i + 1, from_json));
  }
  return values;
}

}  // namespace msda
