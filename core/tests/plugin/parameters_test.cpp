#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/registry.hpp"

namespace msda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Values = std::map<std::string, ParameterValue>;

VariantInfo example() {
  const ParameterSpec scale{.name = "scale",
                            .summary = "",
                            .default_value = 1.5,
                            .minimum = 0,
                            .maximum = {},
                            .choices = {}};
  return {
      .name = "example",
      .summary = "",
      .parameters = {ParameterSpec::integer("width", "channels of a lane", 8, 1, 32), scale,
                     ParameterSpec::one_of<std::string>("cache", "", "global", {"global", "none"}),
                     ParameterSpec::one_of<std::int64_t>("stages", "", 2, {2, 3, 4}),
                     ParameterSpec::flag("unroll", "", false)}};
}

/// The message of the UsageError that resolving `given` throws.
std::string refusal(const VariantInfo& variant, const Values& given) {
  try {
    resolve_parameters(variant, given);
  } catch (const UsageError& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST(ResolveParameters, FillsInDefaults) {
  const Parameters resolved = resolve_parameters(example(), {});
  EXPECT_EQ(resolved.values().size(), 5U);
  EXPECT_EQ(resolved.get<std::int64_t>("width"), 8);
  EXPECT_EQ(resolved.get<double>("scale"), 1.5);
  EXPECT_EQ(resolved.get<std::string>("cache"), "global");
  EXPECT_EQ(resolved.get<bool>("unroll"), false);
}

TEST(ResolveParameters, TakesWhatIsGiven) {
  const Parameters resolved = resolve_parameters(example(), {{"width", std::int64_t{32}},
                                                             {"scale", 0.0},
                                                             {"cache", std::string("none")},
                                                             {"stages", std::int64_t{4}},
                                                             {"unroll", true}});
  EXPECT_EQ(resolved.get<std::int64_t>("width"), 32);
  EXPECT_EQ(resolved.get<double>("scale"), 0.0);
  EXPECT_EQ(resolved.get<std::string>("cache"), "none");
  EXPECT_EQ(resolved.get<std::int64_t>("stages"), 4);
  EXPECT_EQ(resolved.get<bool>("unroll"), true);
}

TEST(ResolveParameters, TakesAnIntegerForADouble) {
  EXPECT_EQ(resolve_parameters(example(), {{"scale", std::int64_t{3}}}).get<double>("scale"), 3.0);
}

TEST(ResolveParameters, RefusesAnUnknownNameWithTheNearestOne) {
  EXPECT_EQ(refusal(example(), {{"widht", std::int64_t{8}}}),
            "variant 'example': no parameter 'widht' (did you mean 'width'?); it has width, scale, "
            "cache, stages, unroll");
  EXPECT_EQ(refusal({.name = "plain", .summary = "", .parameters = {}}, {{"width", true}}),
            "variant 'plain': no parameter 'width'; it has no parameters");
}

TEST(ResolveParameters, RefusesAnotherType) {
  EXPECT_EQ(refusal(example(), {{"width", 2.5}}),
            "variant 'example': parameter 'width': 2.5 is a number, expected an integer");
  EXPECT_EQ(refusal(example(), {{"unroll", std::int64_t{1}}}),
            "variant 'example': parameter 'unroll': 1 is an integer, expected a boolean");
  EXPECT_EQ(refusal(example(), {{"width", std::string("wide")}}),
            "variant 'example': parameter 'width': 'wide' is a string, expected an integer");
  EXPECT_EQ(refusal(example(), {{"cache", true}}),
            "variant 'example': parameter 'cache': true is a boolean, expected a string");
}

TEST(ResolveParameters, RefusesAValueOutOfRange) {
  EXPECT_EQ(refusal(example(), {{"width", std::int64_t{0}}}),
            "variant 'example': parameter 'width': 0 is out of range, expected 1 to 32");
  EXPECT_EQ(refusal(example(), {{"width", std::int64_t{33}}}),
            "variant 'example': parameter 'width': 33 is out of range, expected 1 to 32");
  EXPECT_EQ(refusal(example(), {{"scale", -0.5}}),
            "variant 'example': parameter 'scale': -0.5 is out of range, expected at least 0");
  EXPECT_EQ(refusal(example(), {{"scale", std::numeric_limits<double>::quiet_NaN()}}),
            "variant 'example': parameter 'scale': nan is not a finite number");
}

TEST(ResolveParameters, RefusesWhatIsNoChoice) {
  EXPECT_EQ(
      refusal(example(), {{"cache", std::string("globl")}}),
      "variant 'example': parameter 'cache': 'globl' is not a choice (did you mean 'global'?), "
      "expected one of: global, none");
  EXPECT_EQ(refusal(example(), {{"stages", std::int64_t{5}}}),
            "variant 'example': parameter 'stages': 5 is not a choice, expected one of: 2, 3, 4");
}

TEST(ResolveParameters, HoldsDefaultsToTheSameRules) {
  VariantInfo variant = example();
  variant.parameters[0].default_value = std::int64_t{64};
  EXPECT_THAT(refusal(variant, {}), AllOf(HasSubstr("'width'"), HasSubstr("64 is out of range")));
}

TEST(ResolveParameters, RefusesANameDeclaredTwice) {
  VariantInfo variant = example();
  variant.parameters.push_back(variant.parameters[0]);
  EXPECT_EQ(refusal(variant, {}), "variant 'example': parameter 'width': declared twice");
}

TEST(ParameterValue, PrintsAsItIsWritten) {
  EXPECT_EQ(to_string(true), "true");
  EXPECT_EQ(to_string(false), "false");
  EXPECT_EQ(to_string(std::int64_t{-7}), "-7");
  EXPECT_EQ(to_string(0.1), "0.1");
  EXPECT_EQ(to_string(std::string("global")), "global");
}

}  // namespace
}  // namespace msda
