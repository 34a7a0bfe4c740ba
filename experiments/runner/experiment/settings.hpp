// The keys of a map in an experiment file, each declared once: the parser, the JSON Schema and the
// tables of docs/experiments.md are made from the same list.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "runner/experiment/form.hpp"
#include "runner/experiment/yaml_node.hpp"

namespace msda {

/// What people are told of a key.
struct Key {
  std::string name;
  std::string words;     ///< what may stand there
  std::string meaning;   ///< in Markdown
  std::string standard;  ///< what holds without it; "" when nothing does
  bool is_required = false;
  nlohmann::json schema;
  std::vector<std::string> aliases{};  ///< other names of the same key
};

/// The keys of one kind of map.
using Keys = std::vector<Key>;

/// The aliases too.
std::vector<std::string> names_of(const Keys& keys);
/// What stands at the key, under whatever name. Throws UsageError where two of its names are there.
std::optional<YamlNode> find(const YamlMap& map, const Key& key);
/// A JSON object with these properties and no others.
nlohmann::json object_schema(const Keys& keys);
/// A Markdown table, one line for each key; ends in a line end.
std::string markdown_table(const Keys& keys);
/// One list after the other.
Keys joined(Keys first, const Keys& second);

/// A key, and what reading it does to a `Target`.
template <class Target>
struct Setting {
  Key key;
  std::function<void(const YamlNode&, Target&)> read;

  Setting required() && {
    key.is_required = true;
    key.standard.clear();
    return std::move(*this);
  }
  /// Another name of the key.
  Setting also(std::string name) && {
    key.aliases.push_back(std::move(name));
    return std::move(*this);
  }
  /// What holds without the key, where a Target by itself does not say it.
  Setting otherwise(std::string text) && {
    key.standard = std::move(text);
    return std::move(*this);
  }
};

/// A key for a member. Without it the member stays as it is; a Target by itself has the default.
template <class Target, class Value>
Setting<Target> setting(std::string name, Value Target::*member, Form<Value> form,
                        std::string meaning) {
  Key key{std::move(name), form.words, std::move(meaning), form.write(Target().*member),
          false,           form.schema};
  return {std::move(key),
          [member, read = std::move(form.read)](const YamlNode& node, Target& target) {
            read(node, target.*member);
          }};
}

/// A key for a member that is empty without it.
template <class Target, class Value>
Setting<Target> setting(std::string name, std::optional<Value> Target::*member, Form<Value> form,
                        std::string meaning) {
  Key key{std::move(name), form.words, std::move(meaning), "", false, form.schema};
  return {std::move(key),
          [member, read = std::move(form.read)](const YamlNode& node, Target& target) {
            read(node, (target.*member).emplace());
          }};
}

/// A key that more is done for than to set one member.
template <class Target>
Setting<Target> setting(std::string name, Shape shape, std::string meaning,
                        std::function<void(const YamlNode&, Target&)> read) {
  return {{std::move(name), std::move(shape.words), std::move(meaning), "", false,
           std::move(shape.schema)},
          std::move(read)};
}

template <class Target>
class Settings {
 public:
  Settings(std::initializer_list<Setting<Target>> settings)
      : Settings(std::vector<Setting<Target>>(settings)) {}
  explicit Settings(std::vector<Setting<Target>> settings) : settings_(std::move(settings)) {
    for (const Setting<Target>& setting : settings_) keys_.push_back(setting.key);
  }

  const Keys& keys() const { return keys_; }
  auto begin() const { return settings_.begin(); }
  auto end() const { return settings_.end(); }

  /// Reads what is there, in the order of the table. Throws UsageError for a required key that is
  /// not, and for one that no table knows (the place, and the nearest name).
  void read(const YamlMap& map, Target& target) const {
    map.allow_only(names_of(keys_));
    read_known(map, target);
  }

  /// The same where other tables have the rest of the map's keys.
  void read_known(const YamlMap& map, Target& target) const {
    for (const Setting<Target>& setting : settings_) {
      const auto node = find(map, setting.key);
      if (node) {
        setting.read(*node, target);
      } else if (setting.key.is_required) {
        map.require(setting.key.name);
      }
    }
  }

 private:
  std::vector<Setting<Target>> settings_;
  Keys keys_;
};

}  // namespace msda
