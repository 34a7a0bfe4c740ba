#include "runner/publish/quotes.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <msda/error.hpp>
#include <nlohmann/json.hpp>

#include "files/read.hpp"
#include "json_text.hpp"
#include "render/formats.hpp"
#include "results/run_data.hpp"

namespace msda {
namespace {

using nlohmann::json;

const std::regex kPlaced(
    R"((\*\*[^*\n]+\*\*|[0-9]+(?:\.[0-9]+)?(?:x| us| ms|%)?)<!--=\s*(\S+)\s+(\S+?)\s*-->)");
constexpr std::string_view kBegin = "<!--quote ";
constexpr std::string_view kEnd = "<!--end quote-->";

/// Published runs, each read once.
class Runs {
 public:
  explicit Runs(std::filesystem::path results) : results_(std::move(results)) {}

  const Report& report(const std::string& name) {
    const auto found = reports_.find(name);
    if (found != reports_.end()) return found->second;
    return reports_.emplace(name, make_report(results_ / (name + kArchiveSuffix))).first->second;
  }
  const json& as_json(const std::string& name) {
    const auto found = jsons_.find(name);
    if (found != jsons_.end()) return found->second;
    const auto checks = read_text_if_there(results_ / (name + ".json"));
    return jsons_.emplace(name, parse_json(checks ? *checks : to_json(report(name)))).first->second;
  }

 private:
  std::filesystem::path results_;
  std::map<std::string, Report> reports_;
  std::map<std::string, json> jsons_;
};

/// Whether the members have the values "a=1,b=2".
bool fits(const json& element, const std::string& wanted) {
  std::istringstream conditions(wanted);
  for (std::string one; std::getline(conditions, one, ',');) {
    const std::size_t equals = std::min(one.find('='), one.size() - 1);
    const auto member = element.find(one.substr(0, equals));
    if (member == element.end() || *member != one.substr(equals + 1)) return false;
  }
  return true;
}

/// The one element of the list that fits.
const json& chosen(const json& list, const std::string& wanted) {
  const json* found = nullptr;
  for (const json& element : list) {
    if (!fits(element, wanted)) continue;
    if (found != nullptr) throw UsageError(fmt::format("[{}] fits several", wanted));
    found = &element;
  }
  if (found == nullptr) throw UsageError(fmt::format("[{}] fits none", wanted));
  return *found;
}

const json& value_at(const json& report, const std::string& place) {
  static const std::regex step(R"(([a-z0-9_]+)(?:\[([^\]]*)\])?(?:\.|$))");
  const json* at = &report;
  std::size_t read = 0;
  for (std::sregex_iterator part(place.begin(), place.end(), step), end; part != end; ++part) {
    if (part->position() != static_cast<std::ptrdiff_t>(read)) break;
    read += static_cast<std::size_t>(part->length());
    const auto member = at->find((*part)[1].str());
    if (member == at->end()) throw UsageError(fmt::format("there is no '{}'", (*part)[1].str()));
    at = &*member;
    if ((*part)[2].matched) at = &chosen(*at, (*part)[2]);
  }
  if (read != place.size()) throw UsageError("this is no path");
  return *at;
}

/// The value with the digits and the unit that `before` has.
std::string written_like(const std::string& before, const json& value) {
  if (before.front() == '*') {
    if (!value.is_string()) throw UsageError(fmt::format("there is {}, no text", json_text(value)));
    return "**" + value.get<std::string>() + "**";
  }
  if (!value.is_number()) throw UsageError(fmt::format("there is {}, no number", json_text(value)));
  const std::string unit = before.substr(before.find_last_of("0123456789") + 1);
  const std::size_t point = before.find('.');
  const std::size_t decimals =
      point == std::string::npos ? 0 : before.size() - unit.size() - point - 1;
  const double scale = unit == "%" ? 1e2 : unit == " us" ? 1e6 : unit == " ms" ? 1e3 : 1;
  return fmt::format("{:.{}f}{}", value.get<double>() * scale, decimals, unit);
}

std::string with_numbers(const std::string& document, Runs& runs) {
  std::string text;
  auto rest = document.begin();
  for (std::sregex_iterator found(document.begin(), document.end(), kPlaced), end; found != end;
       ++found) {
    const std::smatch& match = *found;
    text.append(rest, match[1].first);
    try {
      text += written_like(match[1], value_at(runs.as_json(match[2]), match[3]));
    } catch (Error& error) {
      error.add_context(fmt::format("{} of {} {}", match[1].str(), match[2].str(), match[3].str()));
      throw;
    }
    text.append(match[1].second, match[0].second);
    rest = match[0].second;
  }
  return text.append(rest, document.end());
}

/// A problem's line of a table in Markdown: "| b1 | ..." and "| b1, warm | ..." are b1's.
bool is_line_of(const std::string& line, const std::string& problem) {
  return line.starts_with("| " + problem + " |") || line.starts_with("| " + problem + ",");
}

/// The table below the heading, in Markdown: its head and the lines of these problems, of all
/// without any.
std::string table_of(const Report& report, const std::string& title,
                     const std::vector<std::string>& problems) {
  const std::string page = to_markdown(report);
  const std::size_t heading = page.find("\n## " + title + "\n");
  if (heading == std::string::npos) throw UsageError(fmt::format("no section '{}'", title));
  std::istringstream lines(page.substr(heading + 1));
  std::string table;
  for (std::string line; std::getline(lines, line);) {
    if (!table.empty() && !line.starts_with("|")) break;
    if (!line.starts_with("|")) continue;
    const bool is_head = std::ranges::count(table, '\n') < 2;
    if (is_head || problems.empty() ||
        std::ranges::any_of(problems, [&](const auto& one) { return is_line_of(line, one); })) {
      table += line + "\n";
    }
  }
  return table;
}

/// What stands between the marks; `what` is "NAME answer", "NAME TITLE" or "NAME TITLE | PROBLEM
/// PROBLEM".
std::string quoted(const std::string& what, Runs& runs) {
  const std::size_t space = std::min(what.find(' '), what.size() - 1);
  const Report& report = runs.report(what.substr(0, space));
  const std::string part = what.substr(space + 1);
  if (part == "answer") return "```text\n" + to_answer(report) + "```\n";
  const std::size_t bar = std::min(part.find(" | "), part.size());
  std::istringstream words(part.substr(std::min(bar + 3, part.size())));
  return table_of(
      report, part.substr(0, bar),
      {std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()});
}

std::string with_blocks(const std::string& document, Runs& runs) {
  std::string text;
  std::size_t rest = 0;
  for (std::size_t at = 0; (at = document.find(kBegin, rest)) != std::string::npos;) {
    const std::size_t name = at + kBegin.size();
    const std::size_t close = document.find("-->\n", name);
    const std::size_t end = document.find(kEnd, name);
    if (close == std::string::npos || end < close || end == std::string::npos) {
      throw UsageError(fmt::format("'{}' has no end", document.substr(at, 60)));
    }
    text += document.substr(rest, close + 4 - rest);
    text += quoted(document.substr(name, close - name), runs);
    rest = end;
  }
  return text + document.substr(rest);
}

}  // namespace

std::string with_quotes(const std::string& document, const std::filesystem::path& results) {
  Runs runs(results);
  return with_blocks(with_numbers(document, runs), runs);
}

std::size_t quotes_in(const std::string& document) {
  const auto numbers = std::distance(
      std::sregex_iterator(document.begin(), document.end(), kPlaced), std::sregex_iterator());
  auto count = static_cast<std::size_t>(numbers);
  for (std::size_t at = 0; (at = document.find(kBegin, at)) != std::string::npos; ++at) ++count;
  return count;
}

std::vector<std::filesystem::path> quoting_documents(const std::filesystem::path& root) {
  std::vector<std::filesystem::path> documents{root / "README.md"};
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(root / "docs", error)) {
    if (entry.path().extension() == ".md") documents.push_back(entry.path());
  }
  std::ranges::sort(documents);
  return documents;
}

}  // namespace msda
