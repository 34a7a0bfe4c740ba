#include "cli/bench_words.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <boost/algorithm/string/replace.hpp>

#include "cli/terminal.hpp"
#include "nearest.hpp"
#include "pattern.hpp"
#include "render/text/text.hpp"
#include "runner/experiment/parse.hpp"

namespace msda {
namespace {

/// The word as a place in a file: messages begin with it.
SourcePlace place_of(const std::string& key, const std::string& text) {
  return {key + "=" + text, 0, 0};
}

/// Maps and lists are written as in YAML: references={coordinates: 4}. Names of directories may
/// begin with a bracket.
YamlNode node_of(const std::string& key, const std::string& text) {
  const bool is_flow = text.starts_with('{') || text.starts_with('[');
  const bool is_directory = key == "input" || key == "dir";
  const YAML::Node node =
      is_flow && !is_directory ? YamlNode::parse(text, key + "=").yaml() : YAML::Node(text);
  return {node, "key '" + key + "'", place_of(key, text)};
}

/// Text in Markdown as a terminal shows it: without quotes of code, and links by their text.
std::string plain(const std::string& markdown) {
  static const Pattern kLink(R"(\[([^\]]*)\]\([^)]*\))");
  std::string text = kLink.replaced(markdown, "$1");
  std::erase(text, '`');
  return text;
}

}  // namespace

Words::Words(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError(fmt::format("'{}' is not key=value", word));
    }
    const std::string key = word.substr(0, equals);
    if (equals + 1 == word.size()) {
      throw UsageError(
          fmt::format("{}= is empty, as of a variable of the shell that is not set", key));
    }
    if (!words_.emplace(key, word.substr(equals + 1)).second) {
      throw UsageError(fmt::format("{}= is given twice", key));
    }
  }
}

std::optional<std::string> Words::take(const std::string& key) {
  const auto found = words_.find(key);
  if (found == words_.end()) return std::nullopt;
  std::string value = std::move(found->second);
  words_.erase(found);
  return value;
}

std::optional<int> Words::take_integer(const std::string& key, int minimum, int maximum) {
  const auto text = take(key);
  if (!text) return std::nullopt;
  return static_cast<int>(node_of(key, *text).as_integer(minimum, maximum));
}

void Words::refuse_rest(const std::string& command, std::vector<std::string> known) const {
  const std::vector<std::string> of_problem = names_of(keys::one_problem());
  known.insert(known.end(), of_problem.begin(), of_problem.end());
  for (const auto& [key, text] : words_) {
    if (std::ranges::find(of_problem, key) != of_problem.end()) continue;
    throw UsageError(fmt::format("{}: unknown key '{}'{}", command, key, suggestion(key, known)));
  }
}

std::string problem_words_help() {
  constexpr std::size_t kIndent = 18;
  const auto line = [](const std::string& name, std::string meaning) {
    meaning = wrapped(meaning, terminal_width() - kIndent);
    boost::replace_all(meaning, "\n", "\n" + std::string(kIndent, ' '));
    return fmt::format("  {:<{}}{}\n", name, kIndent - 2, meaning);
  };
  std::string text;
  for (const Key& key : keys::one_problem()) {
    const std::string& name = key.aliases.empty() ? key.name : key.aliases.front();
    const bool names_values = key.words.find('`') != std::string::npos;
    text += line(name + "=", plain(key.meaning + (names_values ? ": " + key.words : "")));
  }
  return text + line("",
                     "Without a preset or tensors there are 1 image, 1 head, 32 channels, 8 points "
                     "and as many queries as pixels.");
}

ProblemSpec problem_from_words(Words& words, const std::string& unnamed) {
  std::vector<YamlMap::Entry> entries;
  std::string all;
  for (const std::string& key : names_of(keys::one_problem())) {
    const auto text = words.take(key);
    if (!text) continue;
    entries.push_back({key, place_of(key, *text), node_of(key, *text)});
    all += (all.empty() ? "" : " ") + key + "=" + *text;
  }
  const YamlNode owner(YAML::Node(), "the problem", {all, 0, 0});
  return parse_problem_words(YamlMap(owner, std::move(entries)), unnamed);
}

}  // namespace msda
