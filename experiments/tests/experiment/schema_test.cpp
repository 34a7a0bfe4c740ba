// The schema of experiment files names the keys that the parser knows, no more and no less.
#include "runner/experiment/schema.hpp"

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/experiment/experiment.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

using nlohmann::json;
using Keys = std::set<std::string>;

/// The keys that the parser lists where it meets the key 'nonsense'.
Keys keys_of_parser(const std::string& yaml) {
  const TemporaryDirectory directory;
  try {
    load_experiment(directory.write("x.yaml", yaml), shipped_registry());
  } catch (const UsageError& error) {
    const std::string message = error.what();
    const std::string lead = "known here: ";
    const std::size_t begin = message.find(lead);
    EXPECT_NE(begin, std::string::npos) << message;
    std::istringstream list(message.substr(begin + lead.size()));
    Keys keys;
    for (std::string key; std::getline(list, key, ',');) {
      keys.insert(key.substr(key.find_first_not_of(' ')));
    }
    return keys;
  }
  ADD_FAILURE() << "the parser takes nonsense: " << yaml;
  return {};
}

Keys keys_of(const json& object) {
  Keys keys;
  for (const auto& [key, value] : object.at("properties").items()) keys.insert(key);
  EXPECT_EQ(object.at("additionalProperties"), false);
  return keys;
}

const json& property(const json& schema, const std::string& name) {
  return schema.at("properties").at(name);
}

TEST(Schema, NamesTheKeysOfTheParser) {
  const json schema = experiment_schema(shipped_registry());
  const std::string head = "problems: [ledger-48]\narms: [vector-loads]\n";
  EXPECT_EQ(keys_of(schema), keys_of_parser(head + "nonsense: 1\n"));
  EXPECT_EQ(keys_of(property(schema, "measure")),
            keys_of_parser(head + "measure: {nonsense: 1}\n"));
  EXPECT_EQ(keys_of(property(schema, "profile")),
            keys_of_parser(head + "profile: {nonsense: 1}\n"));
  EXPECT_EQ(keys_of(property(schema, "claims").at("items")),
            keys_of_parser(head + "claims: [{nonsense: 1}]\n"));
  EXPECT_EQ(keys_of(property(schema, "problems").at("items").at("anyOf").at(1)),
            keys_of_parser("problems: [{nonsense: 1}]\narms: [vector-loads]\n"));
  EXPECT_EQ(keys_of(property(schema, "arms").at("items").at("anyOf").at(1)),
            keys_of_parser("problems: [ledger-48]\narms: [{nonsense: 1}]\n"));
  EXPECT_EQ(keys_of(property(schema, "ablation")),
            keys_of_parser("problems: [ledger-48]\nablation: {nonsense: 1}\n"));
  EXPECT_EQ(keys_of(property(schema, "space")), keys_of_parser(head + "space: {nonsense: 1}\n"));
}

TEST(Schema, KnowsVariantsAndTheirParameters) {
  const json schema = experiment_schema(shipped_registry());
  const json& variants = schema.at("definitions").at("use").at("anyOf").at(1).at("properties");
  const json& threads = variants.at("corner-pair").at("properties").at("threads");
  EXPECT_EQ(threads.at("type"), "integer");
  EXPECT_EQ(threads.at("maximum"), 1024);
  EXPECT_FALSE(threads.at("description").get<std::string>().empty());
  EXPECT_EQ(variants.at("l2-hints").at("properties").at("value").at("enum").size(), 3U);
}

std::string document(const std::string& name = "experiments.md") {
  std::ifstream stream(std::string(MSDA_SOURCE_DIR) + "/docs/" + name);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(KeyTables, StandInTheDocument) {
  for (const KeyTable& table : key_tables()) {
    EXPECT_THAT(document(table.document),
                testing::HasSubstr("\n\n" + markdown_table(table.keys) + "\n"))
        << "docs/" << table.document << " has another table of " << table.title
        << "; 'msda schema --tables' prints this one";
  }
}

TEST(KeyTables, EveryKeyHasItsLine) {
  for (const KeyTable& table : key_tables()) {
    for (const Key& key : table.keys) {
      EXPECT_FALSE(key.words.empty()) << table.title << ": " << key.name;
      EXPECT_FALSE(key.meaning.empty()) << table.title << ": " << key.name;
      EXPECT_FALSE(key.schema.empty()) << table.title << ": " << key.name;
    }
  }
}

/// The document's YAML examples that begin with a key.
std::vector<std::string> examples_of(const std::string& key) {
  const std::string text = document();
  const std::string fence = "```yaml\n" + key + ":\n";
  std::vector<std::string> examples;
  for (std::size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at + 1)) {
    const std::size_t begin = at + std::string("```yaml\n").size();
    examples.push_back(text.substr(begin, text.find("```", begin) - begin));
  }
  return examples;
}

/// The names behind `arm:`, `over:` and `against:` of claims, each as an arm.
std::string arms_of(const std::string& claims) {
  const std::regex pattern(R"((?:arm: \[?|over: |against: \{)([a-z0-9-]+)(?:, ([a-z0-9-]+)\])?)");
  std::set<std::string> names;
  for (auto match = std::sregex_iterator(claims.begin(), claims.end(), pattern);
       match != std::sregex_iterator(); ++match) {
    names.insert((*match)[1]);
    if ((*match)[2].matched) names.insert((*match)[2]);
  }
  std::string arms = "arms:\n  - {name: baseline, use: [vector-loads]}\n";
  for (const std::string& name : names) {
    arms += "  - {name: " + name + ", use: [vector-loads]}\n";
  }
  return arms + "baseline: baseline\n";
}

TEST(ExamplesOfTheDocument, AreValid) {
  const std::string head = "problems: [{preset: ledger-48, name: local}]\ninclude: [" +
                           std::string(MSDA_SOURCE_DIR) + "/experiments/recipes.yaml]\n";
  const TemporaryDirectory directory;
  int count = 0;
  for (const std::string key : {"arms", "ablation", "claims", "profile"}) {
    for (const std::string& example : examples_of(key)) {
      std::string text = head;
      if (key == "claims") text += arms_of(example);
      if (key == "profile") text += "arms: [vector-loads]\n";
      text += example;
      const auto file = directory.write("example.yaml", text);
      EXPECT_NO_THROW(load_experiment(file, shipped_registry())) << example;
      ++count;
    }
  }
  EXPECT_EQ(count, 5);
}

}  // namespace
}  // namespace msda::test
