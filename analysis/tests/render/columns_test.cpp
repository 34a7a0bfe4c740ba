// A column is one row of a table: every form of a report has it without a word more.
#include "render/columns.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/document.hpp"
#include "render/formats.hpp"
#include "render/tables/shapes.hpp"
#include "render/tables/tables.hpp"
#include "support/synthetic.hpp"

namespace msda {
namespace {

using synthetic::baseline;
using synthetic::record;
using synthetic::steady;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// Two arms with a value in every column that tables show.
Report full_report() {
  Record drawing = record("fast", steady(1e-4, 2, 4));
  drawing.processes.resize(2);
  drawing.outputs.emplace_back().spread = 1e-7;
  for (ProcessRun& run : drawing.processes) run.after.emplace().power_watts = 600;
  drawing.processes[1].after->power_watts = 500;
  drawing.processes[0].power = PowerDraw{0.0648, 618, 1965};
  return make_report(
      {{"ceilings", {{"dram_bytes_per_second", 4e12}, {"gather_bytes_per_second", 32e12}}}},
      {baseline("base", steady(2e-4, 2, 4)), drawing});
}

std::vector<std::string> names_in(const std::string& csv) {
  std::vector<std::string> names(1);
  for (const char c : csv.substr(0, csv.find("\r\n"))) {
    if (c == ',') {
      names.emplace_back();
    } else {
      names.back() += c;
    }
  }
  return names;
}

TEST(Columns, AreInTheFilesThatTheySayInTheirOrder) {
  const Report report = full_report();
  const auto row = nlohmann::json::parse(to_json(report)).at("tables").at(0).at("rows").at(1);
  std::vector<std::string> in_csv;
  std::set<std::string> in_json;
  for (const ColumnOf<Row>& column : cell_columns()) {
    std::vector<std::string> names{column.key};
    if (column.has_interval) names = {column.key, column.key + "_95_low", column.key + "_95_high"};
    if ((column.where & kCsv) != 0) in_csv.insert(in_csv.end(), names.begin(), names.end());
    if ((column.where & kJson) == 0) continue;
    in_json.insert(column.key);
    if (column.has_interval) in_json.insert(column.key + "_95");
  }
  for (const ColumnOf<ProblemEntry>& column : shape_columns()) in_csv.push_back(column.key);
  EXPECT_EQ(names_in(to_csv(report)), in_csv);
  std::set<std::string> members;
  for (const auto& [key, value] : row.items()) members.insert(key);
  EXPECT_EQ(members, in_json);
}

TEST(Columns, OfPeopleAreInEveryFormAndTheirMeaningIsInTheLegend) {
  const Report report = full_report();
  const Document document = document_of(report);
  const std::vector<Column>& set = document.sections.front().columns;
  std::size_t shown = 0;
  for (const ColumnOf<Row>& column : cell_columns()) {
    if ((column.where & kPeople) == 0) continue;
    ++shown;
    EXPECT_THAT(document.legend, HasSubstr(column.look.about)) << column.key;
    EXPECT_THAT(set, Contains(testing::Field(&Column::about, column.look.about))) << column.key;
  }
  ASSERT_EQ(set.size(), shown);
  EXPECT_EQ(set.back().title, "verdict");
  const std::string html = to_html(report);
  const std::string latex = to_latex(report);
  for (const Column& column : set) {
    EXPECT_THAT(to_terminal(report, false), HasSubstr(column.title));
    EXPECT_THAT(html, HasSubstr(">" + column.title + "</button>"));
    EXPECT_EQ(latex.find(column.title.substr(0, 4)) == std::string::npos, column.spare)
        << column.title;
  }
}

TEST(Columns, ThatNoTableHasAreNotInTheLegend) {
  const Report report = make_report(nlohmann::json::object(), {baseline("base", {})});
  EXPECT_THAT(document_of(report).legend,
              testing::AllOf(HasSubstr("rel. L2"), Not(HasSubstr("ratio")), Not(HasSubstr("SOL"))));
}

TEST(Columns, OfAnyItemsAreOneRowEach) {
  struct Item {
    std::string name;
    double seconds;
  };
  const ColumnsOf<Item> columns = {
      {"name", kEverywhere, Look("name"), &Item::name},
      {"seconds", kEverywhere, Look("time", ColumnUnit::kSeconds), &Item::seconds},
      {"verdict", kNowhere, [](const Item& item) { return item.seconds > 1 ? "slower" : "equal"; }},
      {"in words", Side::kWords, [](const Item& item) { return "it is " + item.name; }}};
  const std::vector<Item> items{{"a", 2e-3}, {"b", 2}};
  Section section;
  set_rows(section, columns, items);
  ASSERT_EQ(section.columns.size(), 3U);
  EXPECT_EQ(section.columns[1].title, "time [ms]");
  EXPECT_TRUE(section.columns[1].number);
  EXPECT_EQ(section.rows[1], (std::vector<std::string>{"b", "2000.000", "it is b"}));
  EXPECT_EQ(section.verdicts, (std::vector<std::string>{"equal", "slower"}));
  EXPECT_EQ(json_of(columns, items[0]), nlohmann::json({{"name", "a"}, {"seconds", 2e-3}}));
}

TEST(Columns, ThePowerIsThatOfTheDeviceBehindTheBlocks) {
  const nlohmann::json json = nlohmann::json::parse(to_json(full_report()));
  const nlohmann::json& rows = json.at("tables").at(0).at("rows");
  EXPECT_TRUE(rows.at(0).at("power_watts").is_null());
  EXPECT_EQ(rows.at(1).at("power_watts"), 550);
  EXPECT_THAT(to_terminal(full_report(), false), Not(HasSubstr("550")));
}

TEST(Columns, ASpreadThatIsNoNumberIsShownWhicheverOutputHasIt) {
  for (const std::size_t output : {0U, 1U}) {
    Record arm = baseline("base", steady(1e-3));
    arm.outputs.push_back(arm.outputs.front());
    arm.outputs[output].spread = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THAT(to_csv(make_report(nlohmann::json::object(), {arm})), HasSubstr(",NaN,"));
  }
}

}  // namespace
}  // namespace msda
