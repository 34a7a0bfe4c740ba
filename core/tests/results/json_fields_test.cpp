// Structs that are written, read, checked and described from one list of fields.
#include "json_fields.hpp"

#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <msda/error.hpp>

namespace msda {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

enum class Colour { kRed, kGreen };
std::string_view name_of(Colour colour) { return colour == Colour::kRed ? "red" : "green"; }

struct Leaf {
  std::int32_t width = 1;
  std::vector<double> seconds;
};

struct Tree {
  std::string name;
  bool tall = false;
  double weight = 0;
  std::uint64_t seed = 0;
  Colour colour = Colour::kRed;
  std::vector<Leaf> leaves;
  std::vector<std::string> notes;
  std::optional<double> height;
  std::map<std::string, int> counts;
  std::chrono::duration<double> age{};
  int version = 7;
};

}  // namespace

template <>
struct Named<Colour> {
  static constexpr const char* kWhat = "colour";
  static constexpr std::array kValues = {Colour::kRed, Colour::kGreen};
};

template <>
struct JsonFields<Leaf> {
  static auto list() {
    return std::tuple(json_field("width", &Leaf::width).at_least(1),
                      json_field("seconds", &Leaf::seconds));
  }
};

template <>
struct JsonFields<Tree> {
  static auto list() {
    return std::tuple(
        json_field("name", &Tree::name, "what it is called"), json_field("tall", &Tree::tall),
        json_field("weight", &Tree::weight), json_field("seed", &Tree::seed),
        json_field("colour", &Tree::colour), json_field("leaves", &Tree::leaves),
        json_field("notes", &Tree::notes).unless_empty(), json_field("height", &Tree::height),
        json_field("counts", &Tree::counts), json_field("age_seconds", &Tree::age),
        json_field("version", &Tree::version).optional());
  }
};

namespace {

Tree tree() {
  Tree tree;
  tree.name = "oak";
  tree.tall = true;
  tree.weight = 0.1 + 0.2;
  tree.seed = 18'446'744'073'709'551'615U;
  tree.colour = Colour::kGreen;
  tree.leaves = {{3, {1e-6, 2.5}}, {4, {}}};
  tree.height = 12;
  tree.counts = {{"acorns", 3}};
  tree.age = std::chrono::minutes(2);
  return tree;
}

std::string refusal(const json& value) {
  try {
    from_json_document<Tree>(value, "tree");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "was read";
}

TEST(JsonFields, SurviveTheWayThroughText) {
  const json written = write_json(tree());
  const auto read = from_json_document<Tree>(json::parse(written.dump()), "tree");
  EXPECT_EQ(write_json(read), written);
  EXPECT_EQ(read.weight, 0.1 + 0.2);
  EXPECT_EQ(read.seed, 18'446'744'073'709'551'615U);
  EXPECT_EQ(read.colour, Colour::kGreen);
  EXPECT_THAT(read.leaves.at(0).seconds, ElementsAre(1e-6, 2.5));
  EXPECT_EQ(written.at("age_seconds"), 120);
  EXPECT_EQ(written.at("colour"), "green");
}

TEST(JsonFields, WhatMayBeAbsentKeepsItsValue) {
  json value = write_json(tree());
  EXPECT_FALSE(value.contains("notes"));
  value.erase("height");
  value.erase("version");
  const auto read = from_json_document<Tree>(value, "tree");
  EXPECT_FALSE(read.height);
  EXPECT_EQ(read.version, 7);
}

TEST(JsonFields, NotANumberBecomesNullAndReturns) {
  Tree odd = tree();
  odd.weight = std::nan("");
  EXPECT_TRUE(write_json(odd).at("weight").is_null());
  EXPECT_TRUE(std::isnan(from_json_document<Tree>(write_json(odd), "tree").weight));
}

TEST(JsonFields, ErrorsNameTheField) {
  const json good = write_json(tree());
  const auto with = [&](const char* pointer, json value) {
    json changed = good;
    changed[json::json_pointer(pointer)] = std::move(value);
    return refusal(changed);
  };
  EXPECT_EQ(refusal(json::array()), "tree must be a JSON object, not a list");
  EXPECT_EQ(with("/name", 5), "tree field 'name' must be a string, not 5");
  EXPECT_EQ(with("/tall", "yes"), "tree field 'tall' must be true or false, not \"yes\"");
  EXPECT_EQ(with("/weight", "heavy"), "tree field 'weight' must be a number, not \"heavy\"");
  EXPECT_EQ(with("/seed", 1.5), "tree field 'seed' must be an integer, not 1.5");
  EXPECT_EQ(with("/colour", "blue"), "tree field 'colour' must be red, green, not \"blue\"");
  EXPECT_EQ(with("/leaves", 3), "tree field 'leaves' must be a list, not 3");
  EXPECT_EQ(with("/leaves/0/width", 0), "tree field 'leaves.width' must be at least 1, not 0");
  EXPECT_EQ(with("/leaves/0/seconds/1", nullptr),
            "tree field 'leaves.seconds' must hold numbers, not null");
  EXPECT_EQ(with("/counts/acorns", "many"),
            "tree field 'counts.acorns' must be an integer, not \"many\"");
  EXPECT_THAT(with("/name", json::object()), HasSubstr("not an object"));
  json lacking = good;
  lacking["leaves"][1].erase("width");
  EXPECT_EQ(refusal(lacking), "tree lacks field 'leaves.width'");
}

TEST(JsonFields, IntegersThatDoNotFitAreRefused) {
  json value = write_json(tree());
  value["leaves"][0]["width"] = std::int64_t{1} << 40;
  EXPECT_THAT(refusal(value), HasSubstr("'leaves.width' must be an integer from -2147483648 to "));
  value = write_json(tree());
  value["seed"] = -1;
  EXPECT_THAT(refusal(value), HasSubstr("'seed' must be an integer from 0"));
}

TEST(JsonFields, LongTextIsCutInMessages) {
  json value = write_json(tree());
  value["weight"] = std::string(100'000, 'x');
  EXPECT_LT(refusal(value).size(), 200U);
}

TEST(JsonFields, DescribeThemselves) {
  const json schema = json_schema<Tree>();
  EXPECT_EQ(schema.at("additionalProperties"), false);
  const json& properties = schema.at("properties");
  EXPECT_EQ(properties.at("name").at("description"), "what it is called");
  EXPECT_EQ(properties.at("colour").at("enum"), json::parse(R"(["red", "green"])"));
  EXPECT_EQ(properties.at("leaves").at("items").at("properties").at("width").at("minimum"), 1);
  const auto required = schema.at("required").get<std::vector<std::string>>();
  EXPECT_THAT(required, testing::Contains("leaves"));
  for (const char* absent : {"height", "notes", "version"}) {
    EXPECT_THAT(required, testing::Not(testing::Contains(absent)));
  }
}

}  // namespace
}  // namespace msda
