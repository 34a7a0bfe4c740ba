#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include <msda/operators/forward.hpp>

#include "support/tensors.hpp"

namespace msda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Input small_input() {
  Input input = generate(small_problem(), {});
  input.expected[forward::kOutput].assign(
      static_cast<std::size_t>(elements(input.problem, forward::kOutput)), 1.0F);
  return input;
}

TEST(Convert, ToTheSameTypesChangesNothing) {
  const Input input = small_input();
  const Input same = convert(input, input.problem.types);
  EXPECT_EQ(content_hash(same), content_hash(input));
  EXPECT_FALSE(same.expected[forward::kOutput].empty());
}

TEST(Convert, WideningIsExactAndKeepsWhatIsExpected) {
  Problem problem = small_problem();
  problem.types = Types::all(DType::kFloat16);
  Input narrow = generate(problem, {});
  narrow.expected[forward::kOutput].assign(
      static_cast<std::size_t>(elements(problem, forward::kOutput)), 1.0F);
  const Input wide = convert(narrow, Types::all(DType::kFloat32));
  EXPECT_FALSE(wide.expected[forward::kOutput].empty());
  EXPECT_EQ(convert(wide, Types::all(DType::kFloat16)).at("value"), narrow.at("value"));
}

TEST(Convert, NarrowingDropsWhatIsExpected) {
  for (const auto member : {&Types::value, &Types::location, &Types::weight}) {
    Types types;
    types.*member = DType::kFloat16;
    EXPECT_TRUE(convert(small_input(), types).expected[forward::kOutput].empty());
  }
}

TEST(Convert, TheTypeOfTheOutputDoesNotTouchWhatIsExpected) {
  Types types;
  types.output = DType::kBFloat16;
  const Input converted = convert(small_input(), types);
  EXPECT_EQ(converted.problem.types, types);
  EXPECT_FALSE(converted.expected[forward::kOutput].empty());
}

TEST(Convert, BetweenTheNarrowTypesRounds) {
  Input input = small_input();
  const Input half = convert(input, Types::all(DType::kFloat16));
  const Input brain = convert(half, Types::all(DType::kBFloat16));
  for (std::int64_t i = 0; i < elements(input.problem, forward::kValue); ++i) {
    const double x = load_element(DType::kFloat16, half.at("value").data(), i);
    EXPECT_NEAR(load_element(DType::kBFloat16, brain.at("value").data(), i), x,
                std::abs(x) * 0x1p-8);
  }
}

TEST(Convert, RefusesFiniteNumbersThatTheTypeCannotHold) {
  Input input = small_input();
  store_element(DType::kFloat32, input.at("value").data(), 3, 1e6F);
  EXPECT_THAT(usage_error_of([&] { convert(input, Types::all(DType::kFloat16)); }),
              AllOf(HasSubstr("value"), HasSubstr("1000000"), HasSubstr("fp16")));
}

TEST(Convert, KeepsLocationsThatAreNotFinite) {
  Input input = small_input();
  store_element(DType::kFloat32, input.at("locations").data(), 0,
                std::numeric_limits<float>::quiet_NaN());
  store_element(DType::kFloat32, input.at("locations").data(), 1,
                -std::numeric_limits<float>::infinity());
  const Input half = convert(input, Types::all(DType::kFloat16));
  EXPECT_TRUE(std::isnan(load_element(DType::kFloat16, half.at("locations").data(), 0)));
  EXPECT_EQ(load_element(DType::kFloat16, half.at("locations").data(), 1),
            -std::numeric_limits<double>::infinity());
}

TEST(ContentHash, DependsOnShapeTypesAndTensorsButNotOnNames) {
  const Input input = small_input();
  EXPECT_EQ(content_hash(input).size(), 32U);
  Input other = input;
  other.problem.name = "another";
  other.origin = "elsewhere";
  other.expected[forward::kOutput].clear();
  EXPECT_EQ(content_hash(other), content_hash(input));
  other.at("weights").back() ^= std::byte{1};
  EXPECT_NE(content_hash(other), content_hash(input));
  other = input;
  std::swap(other.problem.levels[0].height, other.problem.levels[0].width);
  EXPECT_NE(content_hash(other), content_hash(input));
  other = input;
  other.problem.types.output = DType::kFloat16;
  EXPECT_NE(content_hash(other), content_hash(input));
}

}  // namespace
}  // namespace msda
