// Every arithmetic, emulated: a right result keeps within its bounds, a mistake does not.
#include "reference/bounds.hpp"

#include <functional>
#include <optional>
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulation.hpp"
#include "operators/forward/forward.hpp"
#include "operators/operator.hpp"
#include "reference/compare.hpp"
#include "reference/shifts.hpp"
#include "support/tensors.hpp"

namespace msda {
namespace {

/// An arithmetic that a variant may declare, for 4 points to a level.
struct Named {
  const char* name;
  DType type;
  Arithmetic arithmetic;
};

void PrintTo(const Named& named, std::ostream* stream) { *stream << named.name; }

constexpr Rounding kHalfBatch{kFp16, 16};

const Named kArithmetics[] = {
    {"fp32", DType::kFloat32, {}},
    {"fp16_storage", DType::kFloat16, {}},
    {"bf16_storage", DType::kBFloat16, {}},
    {"fp16_blend", DType::kFloat16, {.weights = {kFp16, 1}, .sums = kHalfBatch}},
    {"bf16_blend", DType::kBFloat16, {.weights = {kBf16, 1}, .sums = {kBf16, 16}}},
    {"fp16_sums", DType::kFloat16, {.weights = {kFp16, 1}, .sums = {kFp16, 0}}},
    {"bf16_sums", DType::kBFloat16, {.weights = {kBf16, 1}, .sums = {kBf16, 0}}},
    {"normalized", DType::kFloat32, {.normalized = {kFp32, 1}}},
    {"half_coordinates",
     DType::kFloat16,
     {.coordinates = {kFp16, 3}, .weights = {kFp16, 1}, .sums = kHalfBatch}},
    {"int8", DType::kFloat16, {.weights = {kFp16, 1}, .value_step = 1.0 / 127, .sums = kHalfBatch}},
    {"fp8",
     DType::kFloat16,
     {.weights = {kFp16, 1},
      .values = {kE4m3, 1},
      .value_step = 2 * kE4m3.smallest / 448,
      .sums = kHalfBatch}},
    {"texture", DType::kFloat16, {.fraction_step = 2.0 / 256}},
};

Problem problem_of(const std::vector<Level>& levels, std::int64_t queries, std::int64_t points,
                   DType type) {
  return in_type(
      type,
      make_problem(
          {.queries = queries, .heads = 2, .channels = 8, .points = points, .levels = levels}));
}

const std::vector<Level> kSmall = {{17, 23}, {9, 12}, {5, 6}, {3, 3}};
const std::vector<Level> kLarge = {{92, 160}, {46, 80}, {23, 40}, {12, 20}};

Input make(const Problem& problem, Distribution distribution, std::uint64_t seed = 1) {
  Generation generation;
  generation.distribution = distribution;
  generation.seed = seed;
  return generate(problem, generation);
}

/// What verification says of an output.
struct Judged {
  Comparison comparison;
  double bound = 0;
  std::optional<Shift> shift;

  Judged(const Input& input, const Arithmetic& arithmetic, const Truth& truth,
         const Bytes& output) {
    const Bounds bounds(arithmetic, truth);
    comparison = compare(rows_of(input.problem, forward::kTensors[forward::kOutput]), output,
                         truth.output, &bounds);
    bound = bounds.relative_l2();
    shift = find_shift(output, truth, bounds);
  }
  bool right() const {
    return comparison.relative_l2 <= bound && comparison.row_excess <= 1 &&
           comparison.element_excess <= 1 && !shift;
  }
};

/// An input, and what is right for it.
struct Known {
  Input input;
  Truth truth = forward::make_truth(input, forward::compute_reference(input));
};

Judged judged(const Known& known, const Arithmetic& arithmetic, const Mistake& mistake = {}) {
  return {known.input, arithmetic, known.truth, Emulation(known.input, arithmetic, mistake).run()};
}

class BoundsTest : public testing::TestWithParam<Named> {
 protected:
  /// A problem in the parameter's type.
  static Problem problem(const std::vector<Level>& levels, std::int64_t queries = 200,
                         std::int64_t points = 4) {
    return problem_of(levels, queries, points, GetParam().type);
  }

  static void expect_right(Input input) {
    const Judged result = judged({std::move(input)}, GetParam().arithmetic);
    EXPECT_LE(result.comparison.relative_l2, result.bound);
    EXPECT_LE(result.comparison.row_excess, 1);
    EXPECT_LE(result.comparison.element_excess, 1);
    EXPECT_FALSE(result.shift) << result.shift->pixels << " on level " << result.shift->level;
  }

  static bool is_caught(const Known& known, const Mistake& mistake) {
    return !judged(known, GetParam().arithmetic, mistake).right();
  }
};

TEST_P(BoundsTest, ARightResultIsRight) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE(seed);
    expect_right(make(problem(kSmall), Distribution::kOutside, seed));
    expect_right(make(problem(kSmall), Distribution::kBorder, seed));
    expect_right(make(problem(kLarge), Distribution::kLocal, seed));
    expect_right(make(problem({{36, 36}, {10, 12}}), Distribution::kSame, seed));
    // So few that nothing averages out.
    expect_right(make(problem({{36, 50}}, 3, 1), Distribution::kUniform, seed));
    expect_right(make(problem({{1, 7}}, 300, 1), Distribution::kOutside, seed));
  }
}

TEST_P(BoundsTest, AShiftOfAFiftiethPixelIsCaught) {
  for (const auto& levels : {kSmall, kLarge}) {
    const Known known{make(problem(levels), Distribution::kUniform)};
    EXPECT_TRUE(is_caught(known, {.shift_x = 0.02}));
    EXPECT_TRUE(is_caught(known, {.shift_y = -0.02}));
    EXPECT_TRUE(is_caught(known, {.shift_x = -0.02, .shifted_level = 0}));
  }
}

TEST_P(BoundsTest, SwappedCornersAreCaught) {
  EXPECT_TRUE(is_caught({make(problem(kLarge), Distribution::kUniform)}, {.swaps_corners = true}));
}

TEST_P(BoundsTest, ASizeThatIsOffByOneIsCaught) {
  const Known known{make(problem(kLarge), Distribution::kUniform)};
  EXPECT_TRUE(is_caught(known, {.size_error = -1}));
  EXPECT_TRUE(is_caught(known, {.size_error = 1}));
}

/// A row among very many moves the whole by less than rounding does.
TEST_P(BoundsTest, ARowOfZerosIsCaughtAndTheWorstElementIsIn) {
  const Input input = make(problem(kSmall, 2000), Distribution::kUniform);
  const Truth truth = forward::make_truth(input, forward::compute_reference(input));
  Bytes output = Emulation(input, GetParam().arithmetic).run();
  const auto row_bytes =
      static_cast<std::size_t>(input.problem.channels) * size_of(input.problem.types.output);
  constexpr std::int64_t kRow = 1234;
  std::fill_n(output.begin() + static_cast<std::ptrdiff_t>(kRow * row_bytes), row_bytes,
              std::byte{0});
  const Judged result(input, GetParam().arithmetic, truth, output);
  EXPECT_GT(result.comparison.row_excess, 1);
  EXPECT_EQ(result.comparison.worst_row, kRow);
  EXPECT_EQ(result.comparison.worst_element / input.problem.channels, kRow);
}

INSTANTIATE_TEST_SUITE_P(Every, BoundsTest, testing::ValuesIn(kArithmetics),
                         [](const auto& info) { return std::string(info.param.name); });

/// Else a result with errors of many times what its types explain were right.
TEST(Bounds, OfTheWholeAreAFewTimesWhatRoundingDoesWhereTypesAloneRound) {
  const std::pair<DType, double> most[] = {
      {DType::kFloat32, 5}, {DType::kFloat16, 2.5}, {DType::kBFloat16, 2.5}};
  for (const auto& [type, times] : most) {
    const Input input = make(problem_of(kLarge, 500, 4, type), Distribution::kUniform);
    const Judged result = judged({input}, {});
    EXPECT_GT(times * result.comparison.relative_l2, result.bound) << name_of(type);
    EXPECT_LE(result.comparison.relative_l2, result.bound) << name_of(type);
  }
}

/// Else a wrong row or element among right ones were right.
TEST(Bounds, OfRowsAndElementsAreEightStandardDeviations) {
  Truth truth({.type = DType::kFloat32, .elements = 2, .groups = 2}, {3, 4, 6, 0});
  truth.rows[0].coordinates = 5;
  const Bounds bounds({.coordinates = {kFp16, 3}}, truth);
  const double unit = kFp16.unit * kFp16.unit / 3;
  // The output's own type and sums add less than a thousandth.
  const double mean_square = 3 * 5 * unit;
  EXPECT_NEAR(bounds.mean_square(0) / mean_square, 1, 1e-3);
  EXPECT_NEAR(bounds.row(0, 0) / (8 * std::sqrt(2 * mean_square)), 1, 1e-3);
  const double share = 2 * 16 / 12.5;  // of the stronger channel
  EXPECT_NEAR(bounds.element(0).squared(0) / (64 * share * mean_square), 1, 1e-3);
}

TEST(Bounds, OneWrongElementIsCaught) {
  const Input input = make(problem_of(kSmall, 2000, 4, DType::kFloat16), Distribution::kUniform);
  const Truth truth = forward::make_truth(input, forward::compute_reference(input));
  Bytes output = Emulation(input, {}).run();
  constexpr std::int64_t kElement = 4321;
  const double right = load_element(DType::kFloat16, output.data(), kElement);
  store_element(DType::kFloat16, output.data(), kElement, static_cast<float>(right + 0.005));
  const Judged result(input, {}, truth, output);
  EXPECT_LT(result.comparison.relative_l2, result.bound);
  EXPECT_GT(result.comparison.element_excess, 1);
  EXPECT_EQ(result.comparison.worst_element, kElement);
}

/// Each row is one pixel, in which one channel, in each row another one, is much stronger than the
/// others: sums that are rounded again and again round it as a number of its own size.
TEST(Bounds, AStrongElementIsRoundedAsANumberOfItsOwnSize) {
  constexpr int kRows = 32;
  Problem problem = problem_of({{1, kRows}}, kRows, 1, DType::kFloat16);
  problem.batch = 1;
  problem.heads = 1;
  problem.channels = kRows;
  std::vector<float> values(std::size_t{kRows} * kRows, 0.125F);
  std::vector<float> locations;
  for (int q = 0; q < kRows; ++q) {
    values[static_cast<std::size_t>(q) * (kRows + 1)] = 4;
    locations.insert(locations.end(), {(static_cast<float>(q) + 0.5F) / kRows, 0.5F});
  }
  Input input = generate(problem, {});
  input.at("value") = make_tensor(DType::kFloat16, values);
  input.at("locations") = make_tensor(DType::kFloat16, locations);
  input.at("weights") = make_tensor(DType::kFloat16, std::vector<float>(kRows, 1));
  const Truth truth = forward::make_truth(input, forward::compute_reference(input));
  const auto is_right_with = [&](float error) {
    std::vector<float> output = values;
    output[0] += error;
    return Judged(input, {.sums = {kFp16, 16}}, truth, make_tensor(DType::kFloat16, output))
        .right();
  };
  constexpr float kHalfUnit = 1.0F / 512;  // in the last place of 4
  EXPECT_TRUE(is_right_with(10 * kHalfUnit));
  EXPECT_FALSE(is_right_with(40 * kHalfUnit));
}

TEST(Bounds, FollowTheLevelsSizeWhereCoordinatesAreCoarse) {
  const Arithmetic half{.coordinates = {kFp16, 3}};
  const auto bound = [&](const Level& level) {
    const Input input = make(problem_of({level}, 200, 4, DType::kFloat32), Distribution::kUniform);
    return Bounds(half, forward::make_truth(input, forward::compute_reference(input)))
        .relative_l2();
  };
  EXPECT_NEAR(bound({64, 64}) / bound({8, 8}), 8, 2);
}

TEST(Bounds, AllowForCoarseCoordinatesThatCarryAPointIntoALargeLevel) {
  // In fp16 a point at row 240.08 of 240 lies at row 239.97.
  constexpr float kOutside = 1.0024F;
  constexpr float kRounded = 0x1.008p0F;
  const auto at = [](float y) {
    Input input = make(problem_of({{240, 8}}, 3, 1, DType::kFloat32), Distribution::kUniform);
    for (std::int64_t i = 1; i < elements(input.problem, forward::kLocations); i += 2) {
      store_element(DType::kFloat32, input.at("locations").data(), i, y);
    }
    return input;
  };
  const Input outside = at(kOutside);
  const Truth truth = forward::make_truth(outside, forward::compute_reference(outside));
  const std::vector<double> moved = forward::compute_reference(at(kRounded));
  const Bytes output = make_tensor(DType::kFloat32, std::vector<float>(moved.begin(), moved.end()));
  const auto row_excess = [&](const Arithmetic& arithmetic) {
    return Judged(outside, arithmetic, truth, output).comparison.row_excess;
  };
  EXPECT_LE(row_excess({.coordinates = {kFp16, 1}}), 1);
  EXPECT_GT(row_excess({}), 1);
}

TEST(Bounds, OfAZeroRowAllowNothing) {
  Problem problem = problem_of({{4, 4}}, 2, 1, DType::kFloat32);
  Input input = generate(problem, {});
  for (std::int64_t i = 0; i < elements(problem, forward::kLocations); ++i) {
    store_element(DType::kFloat32, input.at("locations").data(), i, 7.0F);  // far outside
  }
  const Truth truth = forward::make_truth(input, forward::compute_reference(input));
  const std::vector<float> zeros(truth.output.size(), 0.0F);
  EXPECT_TRUE(Judged(input, {}, truth, make_tensor(DType::kFloat32, zeros)).right());
  std::vector<float> wrong = zeros;
  wrong[5] = 1e-20F;
  EXPECT_FALSE(Judged(input, {}, truth, make_tensor(DType::kFloat32, wrong)).right());
}

TEST(Truth, IsTheSameForAnyNumberOfThreads) {
  const Input input = make(problem_of(kSmall, 300, 4, DType::kFloat16), Distribution::kLocal);
  const std::vector<double> output = forward::compute_reference(input);
  const Truth one = forward::make_truth(input, output, 1);
  const Truth many = forward::make_truth(input, output, 5);
  ASSERT_EQ(one.rows.size(), many.rows.size());
  for (std::size_t row = 0; row < one.rows.size(); ++row) {
    ASSERT_EQ(one.rows[row].coordinates, many.rows[row].coordinates);
    ASSERT_EQ(one.rows[row].terms, many.rows[row].terms);
  }
  ASSERT_EQ(one.shifts.size(), 8U);
  EXPECT_EQ(one.shifts.back().derivative, many.shifts.back().derivative);
}

TEST(Truth, OfACopyAllowsTheOutputsTypeAlone) {
  Problem problem = problem_of({{5, 6}}, 40, 1, DType::kFloat32);
  problem.types.output = DType::kFloat16;
  const Input input = generate(problem, {});
  const Truth truth = make_truths(find_operator("copy"), input).front();
  Bytes output(static_cast<std::size_t>(elements(problem, forward::kOutput)) * 2);
  const std::vector<float> exact(truth.output.begin(), truth.output.end());
  store_floats(DType::kFloat16, exact, output.data(), 0);
  EXPECT_TRUE(Judged(input, {}, truth, output).right());
  const double first = load_element(DType::kFloat16, output.data(), 0);
  store_element(DType::kFloat16, output.data(), 0, static_cast<float>(first * 1.05));
  EXPECT_FALSE(Judged(input, {}, truth, output).right());
}

}  // namespace
}  // namespace msda
