// A column of a report is one row of a table: its name in CSV and JSON, its title and its words for
// people, and where the value comes from. Terminal, Markdown, HTML, LaTeX, the legend, CSV and JSON
// are all made of it.
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "render/section.hpp"
#include "statistics/estimate.hpp"

namespace msda {

/// Where a column stands; sums of these.
enum Where : unsigned {
  kNowhere = 0,  ///< a verdict that gives rows their colour and has no column
  kPeople = 1,   ///< tables
  kCsv = 2,
  kJson = 4,
  kJsonIfAny = 8,  ///< left out of an object that has none
  kFiles = kCsv | kJson,
  kEverywhere = kPeople | kFiles,
};

/// How people see a value. Times and rates have one unit in a whole column, which then ends or is
/// its title.
enum class ColumnUnit {
  kText,
  kSeconds,
  kBytesPerSecond,
  kFlopsPerSecond,
  kRatio,        ///< "3.214x"
  kShare,        ///< "12.3%"
  kError,        ///< "5.6e-04"
  kTimes,        ///< "1.02x", with three digits
  kProbability,  ///< "0.012"
  kJoules,       ///< in mJ: "41.2"
  kWhole,        ///< "1845"; the title has the unit
};

/// In mJ, three digits: "41.2", "1090".
std::string millijoules(double joules);

/// A number with its 95% interval, which is a column of its own in files: "speedup", "speedup_95".
struct Estimate {
  Estimate() = default;
  Estimate(std::optional<double> value, std::optional<Interval> interval_95,
           Replication replication = Replication::kNone, int replicates = 0)
      : value(value), interval_95(interval_95), replication(replication), replicates(replicates) {}

  std::optional<double> value;
  std::optional<Interval> interval_95;
  Replication replication = Replication::kNone;  ///< what the interval is over, if that is said
  int replicates = 0;
};

/// As JSON; null where there is none. An estimate is {value, interval}.
nlohmann::json to_value(const Estimate& estimate);
nlohmann::json to_value(const Interval& interval);
template <class T>
nlohmann::json to_value(const T& value) {
  if constexpr (requires { name_of(value); }) {
    return name_of(value);
  } else {
    return value;
  }
}
template <class T>
nlohmann::json to_value(const std::optional<T>& value) {
  return value ? to_value(*value) : nlohmann::json();
}
/// The value, or none.
template <class T>
std::optional<T> when(bool condition, const T& value) {
  return condition ? std::optional<T>(value) : std::nullopt;
}

/// A member, or what a member function without arguments says, of what may be there.
template <class T, class Member>
auto of_member(const std::optional<T>& owner, Member member) {
  using Value = std::decay_t<std::invoke_result_t<Member, const T&>>;
  return owner ? std::optional<Value>(std::invoke(member, *owner)) : std::nullopt;
}

/// How a column for people alone is set: words flush left, numbers flush right.
enum class Side { kWords, kNumbers };

using Footnotes = std::vector<std::string>;

/// How people see a column.
struct Look {
  explicit Look(std::string title, ColumnUnit unit = ColumnUnit::kText, std::string about = "",
                bool spare = false)
      : title(std::move(title)), unit(unit), about(std::move(about)), spare(spare) {}

  std::string title;
  ColumnUnit unit;
  std::string about;  ///< for the legend
  bool spare;         ///< left out where a line is short
};

template <class Item>
struct ColumnOf {
  using Text = std::function<std::string(const Item&, Footnotes&)>;

  std::string key;  ///< in files; the one called "verdict" stands last in tables, and colours rows
  unsigned where;
  Look look;
  std::function<nlohmann::json(const Item&)> value{};
  Text text{};  ///< for people, where it is not the value in its unit
  bool has_interval = false;
  bool number = false;

  template <class Get>
  ColumnOf(std::string name, unsigned where, Look look, Get get, Text text = {})
      : key(std::move(name)),
        where(where),
        look(std::move(look)),
        value([get](const Item& item) { return to_value(std::invoke(get, item)); }),
        text(std::move(text)),
        has_interval(std::same_as<std::invoke_result_t<Get, const Item&>, Estimate>),
        number(this->look.unit != ColumnUnit::kText) {}

  /// A column of files alone.
  template <class Get>
  ColumnOf(std::string name, unsigned where, Get get)
      : ColumnOf(std::move(name), where, Look(""), std::move(get)) {}

  /// A column for people alone.
  template <class Get>
  ColumnOf(std::string title, Side side, Get get)
      : where(kPeople), look(std::move(title)), number(side == Side::kNumbers) {
    if constexpr (std::invocable<Get, const Item&, Footnotes&>) {
      text = get;
    } else {
      text = [get](const Item& item, Footnotes&) { return std::string(std::invoke(get, item)); };
    }
  }
};

template <class Item>
using ColumnsOf = std::vector<ColumnOf<Item>>;

/// "median [us]", "ratio [95%]", "GB/s": the title of a column with these values.
Column column_as_set(const std::string& title, ColumnUnit unit, bool has_interval,
                     const std::vector<nlohmann::json>& values);
/// The values in one unit; "-" where there is none.
std::vector<std::string> in_unit(ColumnUnit unit, const std::vector<nlohmann::json>& values);

/// Puts a column into a section that has its rows.
template <class Item>
void set_column(Section& section, const ColumnOf<Item>& column, const std::vector<Item>& items) {
  std::vector<nlohmann::json> values;
  std::vector<std::string> cells;
  for (const Item& item : items) {
    if (column.value) values.push_back(column.value(item));
    if (column.text) cells.push_back(column.text(item, section.reasons));
  }
  if (!column.text) cells = in_unit(column.look.unit, values);
  Column set = column_as_set(column.look.title, column.look.unit, column.has_interval, values);
  set.number = column.number || column.has_interval;
  set.about = column.look.about;
  set.spare = column.look.spare;
  section.columns.push_back(std::move(set));
  for (std::size_t i = 0; i < items.size(); ++i) section.rows[i].push_back(std::move(cells[i]));
}

/// Fills a section with a row for each item.
template <class Item>
void set_rows(Section& section, const ColumnsOf<Item>& columns, const std::vector<Item>& items) {
  section.rows.resize(items.size());
  section.verdicts.resize(items.size());
  const ColumnOf<Item>* verdict = nullptr;
  for (const ColumnOf<Item>& column : columns) {
    if (column.key == "verdict") {
      verdict = &column;
    } else if ((column.where & kPeople) != 0) {
      set_column(section, column, items);
    }
  }
  if (verdict == nullptr) return;
  for (std::size_t i = 0; i < items.size(); ++i) section.verdicts[i] = verdict->value(items[i]);
  if ((verdict->where & kPeople) != 0) set_column(section, *verdict, items);
}

/// What `to_json` makes of each item.
template <class Items, class ToJson>
nlohmann::json json_list(const Items& items, const ToJson& to_json) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& item : items) list.push_back(to_json(item));
  return list;
}

/// An object with a member for each column that is in JSON.
template <class Item>
nlohmann::json json_of(const ColumnsOf<Item>& columns, const Item& item) {
  nlohmann::json object = nlohmann::json::object();
  for (const ColumnOf<Item>& column : columns) {
    if ((column.where & (kJson | kJsonIfAny)) == 0) continue;
    nlohmann::json value = column.value(item);
    const bool may_lack = (column.where & kJsonIfAny) != 0;
    if (column.has_interval) {
      nlohmann::json& interval = value["interval"];
      if (!may_lack || !interval.is_null()) object[column.key + "_95"] = std::move(interval);
      object[column.key] = std::move(value["value"]);
    } else if (!may_lack || !value.is_null()) {
      object[column.key] = std::move(value);
    }
  }
  return object;
}

template <class Item>
nlohmann::json json_list(const ColumnsOf<Item>& columns, const std::vector<Item>& items) {
  return json_list(items, [&](const Item& item) { return json_of(columns, item); });
}

}  // namespace msda
