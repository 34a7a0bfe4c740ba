#include <algorithm>

#include <fmt/format.h>

#include "runner/parse.hpp"

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
    claim.value = value->as_text();
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
    claim.text = map.require("text").as_text();
    claim.source = map.require("source").as_text();
    claim.arm = parse_known(map.require("arm"), arms, "arm");
    if (const auto value = map.find("problem")) {
      claim.problem = parse_known(*value, problems, "problem");
    }
    if (const auto value = map.find("mode")) {
      claim.mode = value->locate([&] { return parse_timing_mode(value->as_text()); });
    }
    if (const auto value = map.find("note")) claim.note = value->as_text();
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
