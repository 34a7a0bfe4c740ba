// Columns as CSV files (RFC 4180).
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "characters.hpp"
#include "render/formats.hpp"
#include "render/tables/shapes.hpp"
#include "render/tables/tables.hpp"

namespace msda {
namespace {

using Json = nlohmann::json;

/// visible(), but line ends stay, of which a carriage return may be a part.
std::string field_text(std::string_view raw) {
  std::string text;
  for (;;) {
    const std::size_t end = raw.find('\r');
    text += visible(raw.substr(0, end), Space::kLinesAndTabs);
    if (end == std::string_view::npos) return text;
    text += '\r';
    raw.remove_prefix(end + 1);
  }
}

/// Text with a separator, quote or line end stands in quotes, its quotes doubled. Text that a
/// spreadsheet would take for a formula, because it begins with = + - or @ (or a tab or line end
/// before them), gets an apostrophe in front, which spreadsheets take for "this is text".
std::string spreadsheet_text(std::string_view raw) {
  const std::string text = field_text(raw);
  const bool is_formula =
      !text.empty() && std::string_view("=+-@\t\r\n").find(text.front()) != std::string_view::npos;
  if (!is_formula && text.find_first_of(",\"\r\n") == std::string_view::npos) {
    return text;
  }
  std::string quoted = is_formula ? "\"'" : "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

/// A number as the shortest text that reads back as the same one; nothing for null.
std::string field(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return spreadsheet_text(value.get_ref<const std::string&>());
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_integer()) return fmt::format("{}", value.get<std::int64_t>());
  const double number = value;
  return std::isnan(number) ? "NaN" : fmt::format("{}", number);
}

using Fields = std::vector<std::string>;

void append_line(std::string& text, const Fields& fields) {
  text += fmt::format("{}\r\n", fmt::join(fields, ","));
}

/// Names of the columns; of one with an interval also those of its ends.
template <class Item>
Fields header_of(const ColumnsOf<Item>& columns) {
  Fields names;
  for (const ColumnOf<Item>& column : columns) {
    if ((column.where & kCsv) == 0) continue;
    names.push_back(column.key);
    if (!column.has_interval) continue;
    for (const char* end : {"_95_low", "_95_high"}) names.push_back(column.key + end);
  }
  return names;
}

template <class Item>
Fields fields_of(const ColumnsOf<Item>& columns, const Item& item) {
  Fields fields;
  for (const ColumnOf<Item>& column : columns) {
    if ((column.where & kCsv) == 0) continue;
    const Json value = column.value(item);
    fields.push_back(field(column.has_interval ? value["value"] : value));
    if (!column.has_interval) continue;
    const Json& interval = value["interval"];
    for (const char* end : {"low", "high"}) {
      fields.push_back(interval.is_null() ? "" : field(interval[end]));
    }
  }
  return fields;
}

/// "factor_loop-unrolling"
Fields factor_names(const Design& design) {
  Fields names;
  for (const Factor& factor : design.factors) names.push_back("factor_" + factor.name);
  return names;
}

/// Of each factor; empty for an arm that is no point of the design.
Fields levels_of(const Design& design, const std::string& arm) {
  Fields levels(design.factors.size());
  const auto point =
      std::ranges::find_if(design.points, [&](const DesignPoint& one) { return one.arm == arm; });
  if (point == design.points.end()) return levels;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    levels[i] =
        spreadsheet_text(design.factors[i].levels.at(static_cast<std::size_t>(point->levels[i])));
  }
  return levels;
}

void append(Fields& fields, const Fields& more) {
  fields.insert(fields.end(), more.begin(), more.end());
}

/// A block of samples of a record; it has at least one.
struct Block {
  const Record& record;
  const SampleBlock& block;

  const std::vector<double>& seconds() const { return block.seconds; }
};

const ColumnsOf<Block>& block_columns() {
  static const ColumnsOf<Block> kColumns = {
      {"problem", kCsv, [](const Block& b) { return b.record.problem; }},
      {"mode", kCsv, [](const Block& b) { return b.record.mode; }},
      {"arm", kCsv, [](const Block& b) { return b.record.arm; }},
      {"baseline", kCsv, [](const Block& b) { return b.record.baseline; }},
      {"device", kCsv, [](const Block& b) { return b.record.device; }},
      {"process", kCsv, [](const Block& b) { return b.block.process; }},
      {"block", kCsv, [](const Block& b) { return b.block.block; }},
      {"samples", kCsv, [](const Block& b) { return b.seconds().size(); }},
      {"median_seconds", kCsv, [](const Block& b) { return median(b.seconds()); }},
      {"mean_seconds", kCsv,
       [](const Block& b) {
         const double sum = std::accumulate(b.seconds().begin(), b.seconds().end(), 0.0);
         return sum / static_cast<double>(b.seconds().size());
       }},
      {"least_seconds", kCsv, [](const Block& b) { return std::ranges::min(b.seconds()); }},
      {"largest_seconds", kCsv, [](const Block& b) { return std::ranges::max(b.seconds()); }},
      {"throttled", kCsv,
       [](const Block& b) { return fmt::format("{}", fmt::join(b.block.throttled, " ")); }},
  };
  return kColumns;
}

}  // namespace

std::string to_claims_csv(const Report& report) {
  std::string text;
  append_line(text, header_of(claim_columns()));
  for (const CheckedClaim& one : report.claims) append_line(text, fields_of(claim_columns(), one));
  return text;
}

/// The fields of a problem's shape; empty ones where the manifest does not have the problem.
Fields shape_of(const Report& report, const std::string& problem, std::size_t count) {
  const auto& problems = report.manifest.problems;
  const auto found = std::ranges::find_if(
      problems, [&](const ProblemEntry& entry) { return entry.name() == problem; });
  return found == problems.end() ? Fields(count) : fields_of(shape_columns(), *found);
}

/// Behind a cell's columns come those of its problem's shape, and of an ablation the level of each
/// factor.
std::string to_csv(const Report& report) {
  const Design design = report.ablation ? report.ablation->design : Design();
  Fields header = header_of(cell_columns());
  const Fields shape = header_of(shape_columns());
  append(header, shape);
  append(header, factor_names(design));
  std::string text;
  append_line(text, header);
  for (const Row& row : rows_of(report)) {
    Fields fields = fields_of(cell_columns(), row);
    append(fields, shape_of(report, row.record.problem, shape.size()));
    append(fields, levels_of(design, row.record.arm));
    append_line(text, fields);
  }
  return text;
}

std::string to_samples_csv(const Report& report) {
  std::string text;
  append_line(text, header_of(block_columns()));
  for (const Row& row : rows_of(report)) {
    if (!row.timed()) continue;
    for (const SampleBlock& block : row.record.samples) {
      if (block.seconds.empty()) continue;
      append_line(text, fields_of(block_columns(), Block{row.record, block}));
    }
  }
  return text;
}

std::string effects_to_csv(const Ablation& ablation) {
  std::string text;
  append_line(text, header_of(effect_columns()));
  for (const AblationTable& table : ablation.tables) {
    for (const EffectFamily& family : table.families) {
      for (const Effect& effect : family.effects) {
        append_line(text, fields_of(effect_columns(), EffectLine{table, family, effect}));
      }
    }
  }
  return text;
}

}  // namespace msda
