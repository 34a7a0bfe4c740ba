// The schema of experiment files names the keys that the parser knows, no more and no less.
#include "runner/spec/schema.hpp"

#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "runner/spec/experiment.hpp"
#include "support.hpp"

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
  EXPECT_EQ(keys_of(property(schema, "claims").at("items")),
            keys_of_parser(head + "claims: [{nonsense: 1}]\n"));
  EXPECT_EQ(keys_of(property(schema, "problems").at("items").at("anyOf").at(1)),
            keys_of_parser("problems: [{nonsense: 1}]\narms: [vector-loads]\n"));
  const json& arm = property(schema, "arms").at("items").at("anyOf");
  Keys arm_keys = keys_of(arm.at(1));
  arm_keys.merge(keys_of(arm.at(2)));
  EXPECT_EQ(arm_keys, keys_of_parser("problems: [ledger-48]\narms: [{nonsense: 1}]\n"));
  EXPECT_EQ(keys_of(property(schema, "ablation")),
            keys_of_parser("problems: [ledger-48]\nablation: {nonsense: 1}\n"));
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

}  // namespace
}  // namespace msda::test
