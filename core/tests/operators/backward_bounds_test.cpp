// Every arithmetic of the gradients, emulated: a right result keeps within its bounds, a mistake
// does not, each output on its own.
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gradient_emulation.hpp"
#include "operators/operator.hpp"
#include "reference/compare.hpp"
#include "reference/shifts.hpp"

namespace msda {
namespace {

struct Named {
  const char* name;
  DType type;
  Arithmetic arithmetic;
};

void PrintTo(const Named& named, std::ostream* stream) { *stream << named.name; }

const Named kArithmetics[] = {
    {"fp32", DType::kFloat32, {}},
    {"fp16_storage", DType::kFloat16, {}},
    {"bf16_storage", DType::kBFloat16, {}},
    {"fp16_sums", DType::kFloat16, {.accumulation = {kFp16, 0}}},
    {"bf16_sums", DType::kBFloat16, {.accumulation = {kBf16, 0}}},
    {"fp16_dots", DType::kFloat16, {.sums = {kFp16, 0}}},
    {"fixed_point", DType::kFloat32, {.accumulation = {kExact, 0}, .accumulation_step = 0x1p-20}},
    {"half_coordinates", DType::kFloat16, {.coordinates = {kFp16, 3}}},
    {"normalized", DType::kFloat32, {.normalized = {kFp32, 1}}},
};

constexpr const char* kOutputs[] = {"grad_value", "grad_sampling_locations",
                                    "grad_attention_weights"};

const std::vector<Level> kSmall = {{17, 23}, {9, 12}, {5, 6}, {3, 3}};
const std::vector<Level> kLarge = {{46, 80}, {23, 40}, {12, 20}};

Problem problem_of(DType type, const std::vector<Level>& levels, std::int64_t queries = 100,
                   std::int64_t points = 4) {
  return in_type(
      type,
      make_problem(
          {.queries = queries, .heads = 2, .channels = 8, .points = points, .levels = levels}));
}

/// An input, and what is right for it.
struct Known {
  Input input;
  std::vector<Truth> truths = backward::make_truths(input, backward::compute_reference(input));
};

/// What is wrong with one output, or "".
std::string fault(const Truth& truth, const Arithmetic& arithmetic, const Bytes& output) {
  const Bounds bounds(arithmetic, truth);
  const Comparison c = compare(truth.shape, output, truth.output, &bounds);
  if (!(c.relative_l2 <= bounds.relative_l2())) {
    return fmt::format("relative L2 {} above {}", c.relative_l2, bounds.relative_l2());
  }
  if (!(c.row_excess <= 1)) return fmt::format("row {} by {}", c.worst_row, c.row_excess);
  if (!(c.element_excess <= 1)) {
    return fmt::format("element {} by {}", c.worst_element, c.element_excess);
  }
  if (const auto shift = find_shift(output, truth, bounds)) {
    return fmt::format("shift of {} pixels on level {}", shift->pixels, shift->level);
  }
  return "";
}

std::vector<std::string> faults(const Known& known, const Arithmetic& arithmetic,
                                const std::vector<Bytes>& outputs) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    all.push_back(fault(known.truths[i], arithmetic, outputs[i]));
  }
  return all;
}

class GradientBounds : public testing::TestWithParam<Named> {
 protected:
  static const Arithmetic& arithmetic() { return GetParam().arithmetic; }
  static Problem problem(const std::vector<Level>& levels, std::int64_t queries = 100,
                         std::int64_t points = 4) {
    return problem_of(GetParam().type, levels, queries, points);
  }

  static void expect_right(Input input) {
    const Known known{std::move(input)};
    for (const unsigned order : {0U, 1U}) {
      const auto found = faults(known, arithmetic(),
                                GradientEmulation(known.input, arithmetic(), {}, order).outputs());
      for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], "") << kOutputs[i];
    }
  }

  /// Which outputs of a kernel with the mistake are called wrong.
  static std::vector<bool> caught(const Known& known, const GradientMistake& mistake) {
    std::vector<bool> wrong;
    for (const std::string& one :
         faults(known, arithmetic(),
                GradientEmulation(known.input, arithmetic(), mistake).outputs())) {
      wrong.push_back(!one.empty());
    }
    return wrong;
  }
};

TEST_P(GradientBounds, ARightResultIsRight) {
  for (const std::uint64_t seed : {1, 2}) {
    SCOPED_TRACE(seed);
    expect_right(make_gradient_input(problem(kSmall), Distribution::kOutside, seed));
    expect_right(make_gradient_input(problem(kSmall), Distribution::kBorder, seed));
    expect_right(make_gradient_input(problem(kSmall), Distribution::kDirectional, seed));
    expect_right(make_gradient_input(problem(kLarge), Distribution::kLocal, seed));
    expect_right(make_gradient_input(problem({{1, 7}}, 300, 1), Distribution::kOutside, seed));
    // So few that nothing averages out.
    expect_right(make_gradient_input(problem({{36, 50}}, 3, 1), Distribution::kUniform, seed));
  }
}

/// Thousands of points meet in four pixels, with the same errors of their coordinates.
TEST_P(GradientBounds, ARightSumOfThousandsIsRight) {
  expect_right(make_gradient_input(problem({{36, 36}}, 1000), Distribution::kSame));
  expect_right(make_gradient_input(problem({{1, 1}}, 1000), Distribution::kUniform));
}

/// As of the losses sum(output) and sum(transposed output), and one whose sign changes half-way.
TEST_P(GradientBounds, ARightResultOfAnEvenGradientIsRight) {
  Input input = make_gradient_input(problem({{9, 9}, {2, 2}}, 800), Distribution::kUniform);
  const auto fill = [&](const auto& number) {
    const std::int64_t count = backward::elements(input.problem, backward::kGradOutput);
    for (std::int64_t i = 0; i < count; ++i) {
      store_element(input.problem.types.output, input.at("grad_output").data(), i,
                    number(i, count));
    }
  };
  fill([](std::int64_t, std::int64_t) { return 1.0F; });
  expect_right(input);
  fill([](std::int64_t i, std::int64_t count) { return i < count / 2 ? 1.0F : -1.0F; });
  expect_right(input);
}

/// Sums of products below the smallest normal number of their type, of which the factors of a
/// gradient of locations, a level's size among them, make more.
TEST_P(GradientBounds, ARightResultOfTinyGradientsIsRight) {
  const double least = traits_of(GetParam().type).format.smallest;
  for (const double times : {4.0, 32.0, 512.0}) {
    SCOPED_TRACE(times);
    Input input = make_gradient_input(problem(kLarge), Distribution::kLocal);
    Bytes& gradients = input.at("grad_output");
    const DType type = input.problem.types.output;
    for (std::int64_t i = 0; i < backward::elements(input.problem, backward::kGradOutput); ++i) {
      const double own = load_element(type, gradients.data(), i);
      store_element(type, gradients.data(), i, static_cast<float>(own * times * least));
    }
    expect_right(std::move(input));
  }
}

TEST_P(GradientBounds, AShiftOfATenthPixelIsCaughtInEveryOutput) {
  const Known known{make_gradient_input(problem(kSmall, 400), Distribution::kUniform)};
  EXPECT_THAT(caught(known, {.shift_x = 0.1}), testing::ElementsAre(true, true, true));
}

/// In some arithmetics too small for any row, but all points have it in common.
TEST_P(GradientBounds, AShiftOfAFiftiethPixelIsCaughtInTheWeights) {
  const Known known{make_gradient_input(problem(kLarge, 400), Distribution::kUniform)};
  EXPECT_TRUE(caught(known, {.shift_x = 0.02})[2]);
  EXPECT_TRUE(caught(known, {.shift_x = -0.02})[2]);
}

TEST_P(GradientBounds, SwappedCornersAreCaughtInTheValuesAlone) {
  const Known known{make_gradient_input(problem(kSmall), Distribution::kUniform)};
  EXPECT_THAT(caught(known, {.swaps_corners = true}), testing::ElementsAre(true, false, false));
}

TEST_P(GradientBounds, AForgottenFactorIsCaughtInTheLocationsAlone) {
  const Known known{make_gradient_input(problem(kSmall), Distribution::kUniform)};
  EXPECT_THAT(caught(known, {.forgets_size = true}), testing::ElementsAre(false, true, false));
}

TEST_P(GradientBounds, ASumThatIsNeverClearedIsCaught) {
  const Known known{make_gradient_input(problem(kSmall), Distribution::kUniform)};
  EXPECT_THAT(caught(known, {.is_never_cleared = true}), testing::ElementsAre(true, false, false));
}

/// One point of 3,200 hardly shows in the whole.
TEST_P(GradientBounds, ALostPointIsCaughtWhereFewMeet) {
  const Known known{make_gradient_input(problem({{40, 60}}), Distribution::kUniform)};
  int found = 0;
  for (std::int64_t point = 0; point < 800; point += 100) {
    found += caught(known, {.loses_point = point})[0] ? 1 : 0;
  }
  EXPECT_EQ(found, 8);
}

INSTANTIATE_TEST_SUITE_P(Every, GradientBounds, testing::ValuesIn(kArithmetics),
                         [](const auto& info) { return std::string(info.param.name); });

/// The best known fault of public kernels.
TEST(GradientBounds, HalfCoordinatesThatNobodyDeclaredAreCaught) {
  const Known known{make_gradient_input(problem_of(DType::kFloat16, kLarge), Distribution::kLocal)};
  const auto found =
      faults(known, {}, GradientEmulation(known.input, {.coordinates = {kFp16, 3}}).outputs());
  for (const std::string& one : found) EXPECT_NE(one, "");
}

/// Near the first pixel a number from -1 to 1 is coarser than a coordinate.
TEST(GradientBounds, NormalizedLocationsThatNobodyDeclaredAreCaught) {
  Problem problem = problem_of(DType::kFloat32, {{4, 512}}, 400, 8);
  Input input = make_gradient_input(problem, Distribution::kUniform);
  for (std::int64_t i = 0; i < elements(problem, backward::kLocations); i += 2) {
    Bytes& locations = input.tensors[backward::kLocations];
    const float x = load_element(DType::kFloat32, locations.data(), i);
    store_element(DType::kFloat32, locations.data(), i, (1.1F + x / 2) / 512);
  }
  const Known known{std::move(input)};
  const Arithmetic normalized{.normalized = {kFp32, 1}};
  const auto outputs = GradientEmulation(known.input, normalized).outputs();
  EXPECT_NE(faults(known, {}, outputs)[0], "");
  for (const std::string& one : faults(known, normalized, outputs)) EXPECT_EQ(one, "");
}

TEST(GradientBounds, SixteenBitSumsThatNobodyDeclaredAreCaught) {
  const Known known{
      make_gradient_input(problem_of(DType::kFloat16, {{6, 6}}, 800), Distribution::kUniform)};
  const auto found =
      faults(known, {}, GradientEmulation(known.input, {.accumulation = {kFp16, 0}}).outputs());
  EXPECT_NE(found[0], "");
  EXPECT_EQ(found[1], "");
}

/// Each of n additions rounds a partial sum that grows with the root of n: as a whole, with n.
TEST(GradientBounds, OfASumGrowWithThePointsThatMeet) {
  const auto row_bound = [](std::int64_t queries, const Arithmetic& arithmetic) {
    const Known known{make_gradient_input(problem_of(DType::kFloat32, {{2, 2}}, queries, 1),
                                          Distribution::kUniform)};
    return Bounds(arithmetic, known.truths[0]).row(0);
  };
  EXPECT_NEAR(row_bound(1600, {}) / row_bound(100, {}), 16, 5);
  const Arithmetic half{.accumulation = {kFp16, 0}};
  EXPECT_NEAR(row_bound(1600, half) / row_bound(100, half), 16, 5);
  // Few roundings in 16 bits, whatever there is to add.
  const Arithmetic few{.accumulation = {kFp16, 4}};
  EXPECT_NEAR(row_bound(1600, few) / row_bound(100, few), 4, 1.5);
}

TEST(GradientBounds, APixelThatNoPointReadsIsZeroOrWrong) {
  const Known known{
      make_gradient_input(problem_of(DType::kFloat32, {{9, 9}}, 1, 1), Distribution::kUniform)};
  std::vector<Bytes> outputs = GradientEmulation(known.input, {}).outputs();
  ASSERT_EQ(faults(known, {}, outputs)[0], "");
  std::size_t unread = 0;
  while (known.truths[0].output[unread] != 0) ++unread;
  store_element(DType::kFloat32, outputs[0].data(), static_cast<std::int64_t>(unread), 1e-20F);
  EXPECT_NE(faults(known, {}, outputs)[0], "");
}

/// In float32 a coordinate that is exactly on a knot is so for everybody.
TEST(GradientBounds, ThePixelBeforeAPointOnAKnotIsTheWrongOne) {
  const std::vector<float> pixels = {1, 2, 4, 8, 16, 32, 64, 128, 256};
  const Known known{OneGradient{{3, 3}, pixels}.input()};
  EXPECT_EQ(faults(known, {}, GradientEmulation(known.input, {}).outputs())[1], "");
  const auto before = GradientEmulation(known.input, {}, {.lies_left_of_knots = true}).outputs();
  EXPECT_NE(faults(known, {}, before)[1], "");
  // Where the location is rounded first, nobody knows.
  EXPECT_EQ(faults(known, {.coordinates = {kFp16, 3}}, before)[1], "");
}

/// 0.7 of 15 pixels is 10.5, and 0.7F is not 0.7: rounding decides whether this is pixel 9 or 10.
TEST(GradientBounds, BothSidesOfAKnotThatRoundingMayCrossAreRight) {
  std::vector<float> pixels(15);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<float>(i * i);
  const Known known{OneGradient{{1, 15}, pixels, 0.7F}.input()};
  ASSERT_EQ(known.truths[1].knots.size(), 2U);  // of x and of y, which is exactly on one
  const auto is_right = [&](float derivative) {
    const Bytes output =
        make_tensor(DType::kFloat32, {15 * derivative, -100.0F + 0.0F * derivative});
    const Bounds bounds({}, known.truths[1]);
    const Comparison c = compare(known.truths[1].shape, output, known.truths[1].output, &bounds);
    EXPECT_EQ(c.on_knots, 1);
    return c.relative_l2 <= bounds.relative_l2() && c.row_excess <= 1 && c.element_excess <= 1;
  };
  EXPECT_TRUE(is_right(100 - 81));
  EXPECT_TRUE(is_right(121 - 100));
  EXPECT_FALSE(is_right(20));
}

TEST(BackwardTruth, IsTheSameForAnyNumberOfThreads) {
  const Input input =
      make_gradient_input(problem_of(DType::kFloat16, kSmall, 300), Distribution::kDirectional);
  const auto outputs = backward::compute_reference(input);
  const auto one = backward::make_truths(input, outputs, 1);
  const auto many = backward::make_truths(input, outputs, 5);
  for (std::size_t i = 0; i < one.size(); ++i) {
    for (std::size_t row = 0; row < one[i].rows.size(); ++row) {
      ASSERT_EQ(one[i].rows[row].coordinates, many[i].rows[row].coordinates) << kOutputs[i];
      ASSERT_EQ(one[i].rows[row].terms, many[i].rows[row].terms) << kOutputs[i];
    }
  }
  ASSERT_EQ(one[1].knots.size(), many[1].knots.size());
  EXPECT_TRUE(std::ranges::is_sorted(one[1].knots, {}, &Knot::element));
}

/// Bit for bit, where they are numbers.
void expect_same(const std::vector<double>& found, const std::vector<double>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_TRUE(found[i] == wanted[i] || (std::isnan(found[i]) && std::isnan(wanted[i])))
        << i << ": " << found[i] << " for " << wanted[i];
  }
}

void expect_found(const Input& input) {
  const auto outputs = backward::compute_reference(input);
  if (input.problem.unasked == 0) {
    ASSERT_TRUE(std::ranges::any_of(outputs.front(), [](double x) { return std::isnan(x); }));
  }
  const auto given = backward::make_truths(input, outputs);
  const auto found = make_truths(find_operator("backward"), input);
  ASSERT_EQ(found.size(), outputs.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    expect_same(found[i].output, outputs[i]);
    expect_same(found[i].unevenness, given[i].unevenness);
    for (std::size_t row = 0; row < found[i].rows.size(); ++row) {
      ASSERT_EQ(found[i].rows[row].output, given[i].rows[row].output) << row;
      ASSERT_EQ(found[i].rows[row].terms, given[i].rows[row].terms) << row;
    }
  }
}

TEST(BackwardTruth, OfTheOperatorFindsTheOutputsOnTheWay) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  for (const DType type : {DType::kFloat32, DType::kFloat16}) {
    Input input = make_gradient_input(problem_of(type, kSmall, 300), Distribution::kBorder);
    store_element(type, input.tensors[backward::kWeights].data(), 17, kNone);
    store_element(type, input.tensors[backward::kWeights].data(), 18, 0.0F);
    store_element(type, input.tensors[backward::kLocations].data(), 40, kNone);
    store_element(type, input.tensors[backward::kValue].data(), 4321,
                  std::numeric_limits<float>::infinity());
    for (std::uint32_t unasked = 0; unasked < 7; ++unasked) {
      SCOPED_TRACE(unasked);
      input.problem.unasked = unasked << backward::kGradValue;
      expect_found(input);
    }
  }
}

}  // namespace
}  // namespace msda
