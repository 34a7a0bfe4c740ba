// What publications say: the key `claims`.
#include <algorithm>

#include <fmt/format.h>

#include "nearest.hpp"
#include "runner/experiment/parse.hpp"
#include "runner/experiment/settings.hpp"

namespace msda {
namespace {

using Quantity = Claim::Quantity;

/// A claim while its map is read, and what it may name.
struct ClaimReader {
  const Experiment& experiment;
  Claim claim;
  bool has_quantity = false;
};

template <class Element, class Name>
std::vector<std::string> names_among(const std::vector<Element>& elements, const Name& name) {
  std::vector<std::string> names;
  names.reserve(elements.size());
  for (const Element& element : elements) names.emplace_back(name(element));
  return names;
}

/// A name among `names`, which are what `what` calls them.
std::string parse_known(const YamlNode& node, const std::vector<std::string>& names,
                        std::string_view what) {
  std::string name = node.as_text();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    node.locate([&] { throw_no_such_name(what, name, names); });
  }
  return name;
}

std::string parse_arm_name(const YamlNode& node, const ClaimReader& reader) {
  return parse_known(
      node, names_among(reader.experiment.arms, [](const ArmSpec& arm) { return arm.name; }),
      "arm");
}

/// One, or a list of different ones.
std::vector<std::string> parse_arm_names(const YamlNode& node, const ClaimReader& reader) {
  if (!node.is_list()) return {parse_arm_name(node, reader)};
  std::vector<std::string> arms;
  UniqueNames names("arm");
  for (const YamlNode& entry : node.as_list("arm")) {
    arms.push_back(parse_arm_name(entry, reader));
    names.add(arms.back(), entry.place());
  }
  return arms;
}

std::string parse_sentence(const YamlNode& node) {
  std::string text = node.as_text();
  if (text.empty()) node.fail(fmt::format("{} is empty", node.name()));
  return text;
}

void read_over(const YamlNode& node, ClaimReader& reader) {
  Claim& claim = reader.claim;
  claim.over = parse_arm_names(node, reader);
  const auto is_compared = [&claim](const std::string& arm) {
    return std::find(claim.over.begin(), claim.over.end(), arm) != claim.over.end();
  };
  if (std::any_of(claim.arms.begin(), claim.arms.end(), is_compared)) {
    node.fail("an arm is not compared with itself");
  }
}

/// One of the modes that are measured.
void read_mode(const YamlNode& node, ClaimReader& reader) {
  const auto names =
      names_among(reader.experiment.measure.modes, [](TimingMode mode) { return name_of(mode); });
  reader.claim.mode = parse_timing_mode(parse_known(node, names, "measured mode"));
}

std::string quantity_names() {
  std::string names;
  for (const ClaimedQuantity& known : claimed_quantities()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
  }
  return names;
}

/// {metric: value}
void read_counter(const YamlNode& node, Claim& claim) {
  const YamlMap map = node.as_map();
  if (map.entries().size() != 1) node.fail("'counter' is one {metric: value}");
  const YamlMap::Entry& entry = map.entries().front();
  claim.metric =
      parse_like(YamlNode(YAML::Node(entry.key), "metric", entry.place), kMetricPattern, "metric");
  claim.value = parse_sentence(entry.value);
  claim.range = entry.value.locate([&] { return parse_claimed(claim.quantity, claim.value); });
}

void read_quantity(const YamlNode& node, const ClaimedQuantity& quantity, ClaimReader& reader) {
  if (reader.has_quantity) node.fail("a claim has one of " + quantity_names());
  reader.has_quantity = true;
  Claim& claim = reader.claim;
  claim.quantity = quantity.quantity;
  if (claim.quantity == Quantity::kCounter) return read_counter(node, claim);
  claim.value = parse_sentence(node);
  claim.range = node.locate([&] { return parse_claimed(claim.quantity, claim.value); });
}

/// {arm: value}, in the claim's quantity.
void read_against(const YamlNode& node, ClaimReader& reader) {
  Claim& claim = reader.claim;
  if (!reader.has_quantity || !describe(claim.quantity).is_absolute) {
    node.fail(
        "'against' belongs to a time, throughput or bandwidth: another speedup says itself "
        "what it is over");
  }
  const YamlMap map = node.as_map();
  if (map.entries().size() != 1) node.fail("'against' is one {arm: value}");
  const YamlMap::Entry& entry = map.entries().front();
  Claim::Reference& against = claim.against.emplace();
  against.arm = parse_arm_name(YamlNode(YAML::Node(entry.key), "arm", entry.place), reader);
  if (std::find(claim.arms.begin(), claim.arms.end(), against.arm) != claim.arms.end()) {
    node.fail("an arm is not measured against itself");
  }
  against.value = parse_sentence(entry.value);
  against.range = entry.value.locate([&] { return parse_claimed(claim.quantity, against.value); });
}

/// Text that says something.
Shape sentence_shape(std::string words) {
  Shape shape = form::text(std::move(words));
  shape.schema["minLength"] = 1;
  return shape;
}

Shape quantity_shape(const ClaimedQuantity& quantity) {
  Shape shape = sentence_shape(std::string(quantity.form));
  const std::string pattern = claimed_pattern(quantity.quantity);
  if (pattern.empty()) return shape;
  shape.schema = {{"type", "string"}, {"pattern", pattern}};
  if (quantity.quantity == Quantity::kCounter) {
    shape.schema["type"] = {"string", "number"};
    shape.schema["minimum"] = 0;
    shape.schema = {{"type", "object"},
                    {"patternProperties", {{kMetricPattern, shape.schema}}},
                    {"additionalProperties", false},
                    {"minProperties", 1},
                    {"maxProperties", 1}};
  }
  if (quantity.kind == ClaimedKind::kRatio || quantity.kind == ClaimedKind::kError) {
    shape.schema["type"] = {"string", "number"};  // both may stand without a unit
    shape.schema["exclusiveMinimum"] = 0;
  }
  return shape;
}

/// A key whose text is kept as it is.
Setting<ClaimReader> sentence(std::string key, std::string Claim::*member, std::string words,
                              std::string meaning) {
  return setting<ClaimReader>(std::move(key), sentence_shape(std::move(words)), std::move(meaning),
                              [member](const YamlNode& node, ClaimReader& reader) {
                                reader.claim.*member = parse_sentence(node);
                              });
}

std::vector<Setting<ClaimReader>> claim_setting_list() {
  using R = ClaimReader;
  const Shape arm = form::label("an arm's name");
  const auto arms = [&arm](std::string words) {
    return form::any_of(std::move(words), {arm.schema, form::list_of("", arm.schema).schema});
  };
  std::vector<Setting<R>> all;
  all.push_back(sentence("text", &Claim::text, "text", "what is claimed, in words").required());
  all.push_back(sentence("source", &Claim::source, "text", "by whom").required());
  all.push_back(setting<R>("arm", arms("an arm's name, or a list: the best of them"),
                           "of which arm",
                           [](const YamlNode& node, R& reader) {
                             reader.claim.arms = parse_arm_names(node, reader);
                           })
                    .required());
  for (const ClaimedQuantity& quantity : claimed_quantities()) {
    all.push_back(setting<R>(
        std::string(quantity.name), quantity_shape(quantity), std::string(quantity.meaning),
        [&quantity](const YamlNode& node, R& reader) { read_quantity(node, quantity, reader); }));
  }
  all.push_back(setting<R>("over", arms("an arm's name, or a list: the fastest of them"),
                           "the arm that it is compared with", read_over)
                    .otherwise("the baseline"));
  all.push_back(setting<R>("problem", form::label("a problem's name"), "where it is checked",
                           [](const YamlNode& node, R& reader) {
                             const auto names = names_among(
                                 reader.experiment.problems,
                                 [](const ProblemSpec& problem) { return problem.name(); });
                             reader.claim.problem = parse_known(node, names, "problem");
                           })
                    .otherwise("every problem"));
  all.push_back(setting<R>("mode", form::name<TimingMode>(), "one that is measured", read_mode)
                    .otherwise("`warm` where it is measured, else the first"));
  all.push_back(sentence("measured-on", &Claim::measured_on, "a GPU's name, or a part of it",
                         "where the source measured an absolute figure"));
  all.push_back(setting<R>("against",
                           {"`{arm: value}`", {{"type", "object"}, {"maxProperties", 1}}},
                           "what the same source measured there of another arm", read_against));
  all.push_back(sentence("note", &Claim::note, "text", "shown with the verdict"));
  all.push_back(sentence("not-comparable", &Claim::not_comparable, "a reason",
                         "why the figure is of something else than the arm computes"));
  all.push_back(sentence("estimate", &Claim::estimate, "a reason",
                         "why the figure is expected, and was measured by nobody"));
  all.push_back(setting<R>(
      "evidence", evidence_shape(), "what must [show](evidence.md) for a verdict",
      [](const YamlNode& node, R& reader) { reader.claim.evidence = parse_evidence(node); }));
  return all;
}

const Settings<ClaimReader>& claim_settings() {
  static const Settings<ClaimReader> settings(claim_setting_list());
  return settings;
}

Claim parse_claim(const YamlNode& node, const Experiment& experiment) {
  const YamlMap map = node.as_map();
  ClaimReader reader{experiment, {}};
  claim_settings().read(map, reader);
  const Claim& claim = reader.claim;
  if (!reader.has_quantity) {
    node.fail("claim lacks its quantity: one of " + quantity_names());
  }
  const bool is_compared = claim.quantity == Quantity::kSpeedup || claim.is_of_identity();
  if (const auto over = map.find("over"); over && !is_compared) {
    over->fail("'over' belongs to a speedup, or to an output that is identical");
  }
  const bool is_baseline =
      experiment.baseline && claim.arms.size() == 1 && claim.arms.front() == *experiment.baseline;
  if (is_compared && claim.over.empty() && is_baseline) {
    map.require("arm").fail(fmt::format("arm '{}' is the baseline; say what its {} is over",
                                        claim.arms.front(), name_of(claim.quantity)));
  }
  if (claim.is_of_identity() && claim.over.size() > 1) {
    map.require("over").fail("an output is identical with that of one arm");
  }
  const bool is_outcome_of_one = claim.quantity == Quantity::kOutcome && !claim.is_of_identity();
  const bool is_of_one = is_outcome_of_one || claim.quantity == Quantity::kCounter;
  if (is_of_one && claim.arms.size() > 1) {
    map.require("arm").fail(fmt::format("'{}' is a claim of one arm", name_of(claim.quantity)));
  }
  return claim;
}

}  // namespace

Keys keys::claim() { return claim_settings().keys(); }

nlohmann::json claims_schema() {
  nlohmann::json schema = object_schema(keys::claim());
  schema["oneOf"] = nlohmann::json::array();
  for (const ClaimedQuantity& quantity : claimed_quantities()) {
    schema["oneOf"].push_back({{"required", {quantity.name}}});
  }
  return schema;
}

std::vector<Claim> parse_claims(const YamlNode& node, const Experiment& experiment) {
  std::vector<Claim> claims;
  for (const YamlNode& entry : node.as_list("claim")) {
    claims.push_back(parse_claim(entry, experiment));
  }
  return claims;
}

}  // namespace msda
