#include <algorithm>

#include <fmt/format.h>

#include "runner/spec/parse.hpp"

namespace msda {
namespace {

using Quantity = Claim::Quantity;

/// A name among `names`, which are what `what` calls them.
std::string parse_known(const YamlNode& node, const std::vector<std::string>& names,
                        std::string_view what) {
  std::string name = node.as_text();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    node.fail(fmt::format("no {} '{}'{}", what, name, suggestion(name, names)));
  }
  return name;
}

std::string parse_sentence(const YamlNode& node) {
  std::string text = node.as_text();
  if (text.empty()) node.fail(fmt::format("{} is empty", node.name()));
  return text;
}

/// One of the modes that are measured.
TimingMode parse_measured_mode(const YamlNode& node, const MeasureSettings& measure) {
  std::vector<std::string> names;
  for (const TimingMode mode : measure.modes) names.emplace_back(name_of(mode));
  return parse_timing_mode(parse_known(node, names, "measured mode"));
}

/// Exactly one of the quantities.
void parse_quantity(const YamlMap& map, const YamlNode& node, Claim& claim) {
  struct Reader {
    const char* key;
    Quantity quantity;
    ClaimedRange (*parse)(std::string_view);
  };
  static constexpr Reader kReaders[] = {
      {"speedup", Quantity::kSpeedup, parse_claimed_speedup},
      {"time", Quantity::kTime, parse_claimed_time},
      {"speed-of-light", Quantity::kSpeedOfLight, parse_claimed_share},
      {"not-testable", Quantity::kNotTestable, nullptr}};
  int found = 0;
  for (const Reader& reader : kReaders) {
    const auto value = map.find(reader.key);
    if (!value) continue;
    if (++found > 1) value->fail("a claim has one of speedup, time, speed-of-light, not-testable");
    claim.quantity = reader.quantity;
    claim.value = parse_sentence(*value);
    if (reader.parse != nullptr) {
      claim.range = value->locate([&] { return reader.parse(claim.value); });
    }
  }
  if (found == 0) {
    node.fail("claim lacks its quantity: one of speedup, time, speed-of-light, not-testable");
  }
}

}  // namespace

std::vector<Claim> parse_claims(const YamlNode& node, const Experiment& experiment) {
  std::vector<std::string> arms;
  std::vector<std::string> problems;
  for (const ArmSpec& arm : experiment.arms) arms.push_back(arm.name);
  for (const ProblemSpec& problem : experiment.problems) problems.push_back(problem.name());
  std::vector<Claim> claims;
  for (const YamlNode& entry : node.as_list("claim")) {
    const YamlMap map = entry.as_map();
    map.allow_only({"text", "source", "arm", "over", "problem", "mode", "speedup", "time",
                    "speed-of-light", "not-testable", "note"});
    Claim& claim = claims.emplace_back();
    claim.text = parse_sentence(map.require("text"));
    claim.source = parse_sentence(map.require("source"));
    claim.arm = parse_known(map.require("arm"), arms, "arm");
    if (const auto value = map.find("problem")) {
      claim.problem = parse_known(*value, problems, "problem");
    }
    if (const auto value = map.find("mode")) {
      claim.mode = parse_measured_mode(*value, experiment.measure);
    }
    if (const auto value = map.find("note")) claim.note = parse_sentence(*value);
    parse_quantity(map, entry, claim);
    if (claim.quantity == Quantity::kSpeedup && !map.find("over") &&
        claim.arm == experiment.baseline) {
      map.require("arm").fail(
          fmt::format("arm '{}' is the baseline; say what its speedup is over", claim.arm));
    }
    if (const auto value = map.find("over")) {
      if (claim.quantity != Quantity::kSpeedup) value->fail("'over' belongs to a speedup");
      claim.over = parse_known(*value, arms, "arm");
      if (claim.over == claim.arm) value->fail("an arm has no speedup over itself");
    }
  }
  return claims;
}

}  // namespace msda
