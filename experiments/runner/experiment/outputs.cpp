#include "runner/experiment/outputs.hpp"

#include <algorithm>
#include <set>

#include <boost/algorithm/string/split.hpp>

#include "nearest.hpp"

namespace msda {

Shape output_names() {
  std::set<std::string> names;
  for (const Operator* op : operators()) {
    for (const std::size_t output : op->outputs()) names.emplace(op->tensors()[output].name);
  }
  const nlohmann::json list = form::list_of("", {{"enum", names}}).schema;
  return form::any_of("a list of outputs' names, or `one,other`", {list, {{"type", "string"}}});
}

std::uint32_t parse_outputs(const YamlNode& node, const Operator& op) {
  const std::vector<std::size_t> outputs = op.outputs();
  const std::vector<std::string> names = asked_outputs({}, op);
  std::uint32_t unasked = 0;
  for (const std::size_t output : outputs) unasked |= 1U << output;
  const auto ask = [&](const YamlNode& place, const std::string& name) {
    const auto found = std::ranges::find(names, name);
    place.locate([&] {
      if (found == names.end()) throw_no_such_name("output", name, names);
    });
    unasked &= ~(1U << outputs[static_cast<std::size_t>(found - names.begin())]);
  };
  if (node.is_scalar()) {
    std::vector<std::string> asked;
    boost::split(asked, node.as_text(), [](char c) { return c == ','; });
    for (const std::string& name : asked) ask(node, name);
    return unasked;
  }
  const std::vector<YamlNode> asked = node.as_list("output");
  if (asked.empty()) node.fail("a problem asks for at least one output");
  for (const YamlNode& entry : asked) ask(entry, entry.as_text());
  return unasked;
}

std::vector<std::string> asked_outputs(const Problem& problem, const Operator& op) {
  std::vector<std::string> names;
  for (const std::size_t output : op.outputs(problem)) {
    names.emplace_back(op.tensors()[output].name);
  }
  return names;
}

}  // namespace msda
