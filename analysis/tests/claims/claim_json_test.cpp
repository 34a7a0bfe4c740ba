// Claims as a manifest holds them.
#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <msda/error.hpp>

#include "support/claimed.hpp"

namespace msda {
namespace {

using claimed::claim;
using claimed::from_elsewhere;
using claimed::kT;
using testing::HasSubstr;

TEST(ClaimJson, RoundTrips) {
  Claim before = claim("half", Claim::Quantity::kTime, "724 us", {1, 2});
  before.mode = TimingMode::kCold;
  before.over = {"other"};
  before.problem = "small";
  before.note = "note";
  before.left_out = "reason";
  const Claim after = claim_from_json(to_json(before));
  EXPECT_EQ(to_json(after), to_json(before));
  EXPECT_EQ(to_json(after).at("arm"), "half");
  EXPECT_EQ(to_json(after).at("over"), "other");
  before = from_elsewhere();
  before.arms = {"half", "quarter"};
  before.over = {"base", "other"};
  before.range.high = std::numeric_limits<double>::infinity();
  const Claim best = claim_from_json(nlohmann::json::parse(to_json(before).dump()));
  EXPECT_EQ(best.arms.size(), 2U);
  EXPECT_EQ(best.over, before.over);
  EXPECT_EQ(best.range.high, std::numeric_limits<double>::infinity());
  EXPECT_EQ(best.against.value().value, "1342 us");
  EXPECT_EQ(best.measured_on, "h100");
}

TEST(ClaimJson, ErrorsNameTheField) {
  const auto good = to_json(claim("half", kT, "724 us", {1, 2}));
  const auto refusal = [](const nlohmann::json& json) -> std::string {
    try {
      claim_from_json(json);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "was read";
  };
  for (const char* name : {"text", "arm", "quantity", "value", "low", "high"}) {
    auto json = good;
    json.erase(name);
    EXPECT_EQ(refusal(json), fmt::format("claim lacks field '{}'", name));
  }
  auto json = good;
  json["quantity"] = "weight";
  EXPECT_THAT(refusal(json), HasSubstr("claim field 'quantity' must be speedup, time"));
  json = good;
  json["arm"] = 5;
  EXPECT_EQ(refusal(json), "claim field 'arm' must be a string, not 5");
  EXPECT_THAT(refusal(5), HasSubstr("claim must be a JSON object"));
}

TEST(ClaimJson, WhatOthersMeasuredMayHaveNoUpperEnd) {
  Claim before = from_elsewhere();
  before.against->range.high = std::numeric_limits<double>::infinity();
  const Claim after = claim_from_json(nlohmann::json::parse(to_json(before).dump()));
  EXPECT_EQ(after.against.value().range.high, std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace msda
