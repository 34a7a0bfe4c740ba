// Conditions on what must show of an arm: the key `evidence`.
#include "evidence/condition.hpp"
#include "runner/experiment/parse.hpp"

namespace msda {

std::vector<std::string> parse_evidence(const YamlNode& node) {
  const std::vector<YamlNode> entries =
      node.is_list() ? node.as_list("condition") : std::vector<YamlNode>{node};
  std::vector<std::string> conditions;
  for (const YamlNode& entry : entries) {
    conditions.push_back(entry.as_text());
    entry.locate([&] { return Condition(conditions.back()); });
  }
  return conditions;
}

Shape evidence_shape() {
  const nlohmann::json text = {{"type", "string"},
                               {"pattern", "^ *[^ ]+ +(>|>=|<|<=|==|!=) +[^ ]+ *$"}};
  return form::any_of("`rows.prefetched > 0`, or a list of [conditions](evidence.md#conditions)",
                      {text, form::list_of("", text).schema});
}

}  // namespace msda
