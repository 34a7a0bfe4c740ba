#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <msda/operators/forward.hpp>
#include "input/locations.hpp"
#include "input/tensor_files.hpp"
#include "support/tensors.hpp"

namespace msda {
namespace {

using testing::HasSubstr;

constexpr std::array kAll = {Distribution::kUniform,     Distribution::kLocal,
                             Distribution::kDirectional, Distribution::kClustered,
                             Distribution::kOutside,     Distribution::kBorder,
                             Distribution::kSame};

Generation make_generation(Distribution distribution, std::uint64_t seed = 1) {
  Generation generation;
  generation.distribution = distribution;
  generation.seed = seed;
  return generation;
}

std::vector<float> locations_of(const Problem& problem, const Generation& generation) {
  return to_floats(problem.types.location, generate(problem, generation).at("locations"));
}

/// Large enough for statistics: 2 * 400 * 4 * 2 * 4 = 25,600 points.
Problem statistical_problem() {
  return make_problem({.batch = 2,
                       .queries = 400,
                       .heads = 4,
                       .channels = 4,
                       .points = 4,
                       .levels = {{40, 60}, {20, 30}}});
}

TEST(Generate, SameBitsForAnyNumberOfThreads) {
  Problem problem = statistical_problem();
  problem.types = {DType::kFloat16, DType::kFloat32, DType::kBFloat16, DType::kFloat16};
  for (const Distribution distribution : kAll) {
    const Input one = generate(problem, make_generation(distribution), 1);
    for (const unsigned threads : {2U, 7U}) {
      const Input many = generate(problem, make_generation(distribution), threads);
      EXPECT_EQ(one.at("value"), many.at("value"));
      EXPECT_EQ(one.at("locations"), many.at("locations")) << name_of(distribution);
      EXPECT_EQ(one.at("weights"), many.at("weights"));
    }
  }
}

TEST(Generate, TheDefinitionOfAnInputDoesNotChange) {
  // Cached references and published results rest on these bits.
  const Input input = generate(small_problem(), make_generation(Distribution::kUniform, 7));
  EXPECT_EQ(content_hash(input), "ab53446e5a3513b5401d76213beb54d2");
}

TEST(Generate, SeedChangesAllTensors) {
  const Input a = generate(small_problem(), make_generation(Distribution::kUniform, 1));
  const Input b = generate(small_problem(), make_generation(Distribution::kUniform, 2));
  EXPECT_NE(a.at("value"), b.at("value"));
  EXPECT_NE(a.at("locations"), b.at("locations"));
  EXPECT_NE(a.at("weights"), b.at("weights"));
  EXPECT_NE(content_hash(a), content_hash(b));
}

TEST(Generate, NarrowTypesHoldTheRoundedNumbers) {
  Problem problem = small_problem();
  const Input wide = generate(problem, make_generation(Distribution::kLocal));
  for (const DType type : {DType::kFloat16, DType::kBFloat16}) {
    problem.types = Types::all(type);
    const Input narrow = generate(problem, make_generation(Distribution::kLocal));
    const Input converted = convert(wide, problem.types);
    EXPECT_EQ(narrow.at("value"), converted.at("value"));
    EXPECT_EQ(narrow.at("locations"), converted.at("locations"));
    EXPECT_EQ(narrow.at("weights"), converted.at("weights"));
  }
}

TEST(Generate, ABorderIsZeroAndMovesThePixels) {
  Problem problem = small_problem();
  const Input plain = generate(problem, make_generation(Distribution::kUniform));
  problem.layout = ValueLayout::kZeroBorder;
  const Input padded = generate(problem, make_generation(Distribution::kUniform));
  EXPECT_NO_THROW(require_content(problem, forward::kTensors[forward::kValue], padded.at("value")));
  EXPECT_EQ(plain.at("locations"), padded.at("locations"));
  const auto count_zeros = [](const Input& input) {
    const std::vector<float> values = to_floats(DType::kFloat32, input.at("value"));
    return std::count(values.begin(), values.end(), 0.0F);
  };
  EXPECT_EQ(count_zeros(plain), 0);
  EXPECT_EQ(count_zeros(padded),
            elements(problem, forward::kValue) - elements(plain.problem, forward::kValue));
  // Pixel (1, 2) of level 1 of image 1, the last channel.
  const auto element = [](const Input& input, std::int64_t border) {
    const Problem& p = input.problem;
    const std::int64_t pixel =
        p.spatial_size() + p.level_starts()[1] + (1 + border) * p.level_pitch(1) + 2 + border;
    return load_element(DType::kFloat32, input.at("value").data(),
                        (pixel + 1) * p.heads * p.channels - 1);
  };
  EXPECT_EQ(element(plain, 0), element(padded, 1));
}

TEST(Generate, WeightsAreASoftmaxOverLevelsAndPoints) {
  const Problem problem = small_problem();
  const Input input = generate(problem, make_generation(Distribution::kUniform));
  const std::vector<float> weights = to_floats(DType::kFloat32, input.at("weights"));
  const auto group = static_cast<std::size_t>(problem.level_count() * problem.points);
  for (std::size_t first = 0; first < weights.size(); first += group) {
    double sum = 0;
    for (std::size_t i = first; i < first + group; ++i) {
      EXPECT_GT(weights[i], 0.0F);
      sum += static_cast<double>(weights[i]);
    }
    EXPECT_NEAR(sum, 1.0, 1e-6);
  }
}

TEST(Generate, UniformCoversTheImage) {
  const auto locations =
      locations_of(statistical_problem(), make_generation(Distribution::kUniform));
  std::array<int, 10> bins{};
  for (const float x : locations) {
    ASSERT_GE(x, 0.0F);
    ASSERT_LE(x, 1.0F);
    ++bins[std::min<std::size_t>(9, static_cast<std::size_t>(x * 10))];
  }
  const double expected = static_cast<double>(locations.size()) / 10;
  for (const int bin : bins) EXPECT_NEAR(bin, expected, 5 * std::sqrt(expected));
}

/// Calls body(offset_x, offset_y, query, head, level, point); offsets in pixels from `references`.
template <class Body>
void for_each_offset(const Problem& p, const std::vector<float>& locations,
                     const std::vector<Location>& references, const Body& body) {
  std::size_t i = 0;
  for (std::int64_t q = 0; q < p.batch * p.queries; ++q) {
    const Location& reference = references[static_cast<std::size_t>(q % p.queries)];
    for (std::int64_t h = 0; h < p.heads; ++h) {
      for (const Level& level : p.levels) {
        for (std::int64_t point = 0; point < p.points; ++point, i += 2) {
          body((static_cast<double>(locations[i]) - reference.x) * static_cast<double>(level.width),
               (static_cast<double>(locations[i + 1]) - reference.y) *
                   static_cast<double>(level.height),
               h, point);
        }
      }
    }
  }
}

TEST(Generate, LocalOffsetsHaveTheStandardDeviationInPixelsOfEachLevel) {
  const Problem problem = statistical_problem();
  Generation generation = make_generation(Distribution::kLocal);
  generation.sigma = 3;
  double squares = 0;
  double sum = 0;
  std::int64_t count = 0;
  for_each_offset(problem, locations_of(problem, generation), reference_points(problem),
                  [&](double dx, double dy, std::int64_t, std::int64_t) {
                    sum += dx + dy;
                    squares += dx * dx + dy * dy;
                    count += 2;
                  });
  const auto n = static_cast<double>(count);
  EXPECT_NEAR(sum / n, 0, 0.07);  // 5 standard errors
  EXPECT_NEAR(std::sqrt(squares / n), 3, 0.05);
}

TEST(Generate, LocalWithoutSpreadIsTheReference) {
  Generation generation = make_generation(Distribution::kLocal);
  generation.sigma = 0;
  const Problem problem = statistical_problem();
  for_each_offset(problem, locations_of(problem, generation), reference_points(problem),
                  [](double dx, double dy, std::int64_t, std::int64_t) {
                    ASSERT_NEAR(dx, 0, 1e-5);
                    ASSERT_NEAR(dy, 0, 1e-5);
                  });
}

TEST(Generate, ShuffledQueriesHaveEachOthersReferencePoints) {
  Problem problem = statistical_problem();
  problem.heads = 1;
  Generation generation = make_generation(Distribution::kLocal);
  generation.sigma = 0;
  const auto points = [&](QueryOrder order) {
    generation.query_order = order;
    const std::vector<float> all = locations_of(problem, generation);
    const std::size_t per_query = all.size() / static_cast<std::size_t>(problem.batch) /
                                  static_cast<std::size_t>(problem.queries);
    std::vector<std::pair<float, float>> first;  // point of each query of each image
    for (std::size_t at = 0; at < all.size(); at += per_query) {
      first.emplace_back(all[at], all[at + 1]);
    }
    return first;
  };
  auto raster = points(QueryOrder::kRaster);
  auto shuffled = points(QueryOrder::kShuffled);
  std::size_t moved = 0;
  for (std::size_t q = 0; q < raster.size(); ++q) moved += raster[q] == shuffled[q] ? 0 : 1;
  EXPECT_GT(moved, raster.size() * 9 / 10);
  const auto image = static_cast<std::ptrdiff_t>(problem.queries);
  EXPECT_TRUE(std::equal(shuffled.begin(), shuffled.begin() + image, shuffled.begin() + image));
  std::sort(raster.begin(), raster.end());
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(raster, shuffled);
}

TEST(Generate, DirectionalPointsStandOnRaysOneRayForEachHead) {
  Problem problem = statistical_problem();
  problem.heads = 8;
  const auto directions = initial_directions(problem.heads);
  EXPECT_NEAR(directions[1].x, 1, 1e-12);  // 45 degrees, scaled until the larger coordinate is 1
  EXPECT_NEAR(directions[1].y, 1, 1e-12);
  EXPECT_NEAR(directions[4].x, -1, 1e-12);
  for_each_offset(problem, locations_of(problem, make_generation(Distribution::kDirectional)),
                  reference_points(problem),
                  [&](double dx, double dy, std::int64_t head, std::int64_t point) {
                    const auto& direction = directions[static_cast<std::size_t>(head)];
                    const auto distance = static_cast<double>(point + 1);
                    ASSERT_NEAR(dx, distance * direction.x, 1e-4);
                    ASSERT_NEAR(dy, distance * direction.y, 1e-4);
                  });
}

TEST(Generate, ClusteredQueriesGatherAroundFewObjects) {
  Problem problem = statistical_problem();
  problem.batch = 1;
  Generation generation = make_generation(Distribution::kClustered);
  generation.objects = 1;
  const auto locations = locations_of(problem, generation);
  double mean = 0;
  for (std::size_t i = 0; i < locations.size(); i += 2) mean += static_cast<double>(locations[i]);
  mean /= static_cast<double>(locations.size()) / 2;
  double variance = 0;
  for (std::size_t i = 0; i < locations.size(); i += 2) {
    variance += std::pow(static_cast<double>(locations[i]) - mean, 2);
  }
  variance /= static_cast<double>(locations.size()) / 2;
  // 0.03 for the object and 2 pixels of 60 and of 30 for the offsets.
  const double expected = 0.03 * 0.03 + (std::pow(2 / 60.0, 2) + std::pow(2 / 30.0, 2)) / 2;
  EXPECT_NEAR(std::sqrt(variance), std::sqrt(expected), 0.005);
}

TEST(Generate, OutsidePutsTheShareBeyondTheImage) {
  for (const double share : {0.0, 0.4, 1.0}) {
    Generation generation = make_generation(Distribution::kOutside);
    generation.outside_share = share;
    const auto locations = locations_of(statistical_problem(), generation);
    double outside = 0;
    for (std::size_t i = 0; i < locations.size(); i += 2) {
      const auto is_beyond = [](float x) { return x < 0.0F || x > 1.0F; };
      outside += is_beyond(locations[i]) || is_beyond(locations[i + 1]) ? 1 : 0;
    }
    EXPECT_NEAR(outside / (static_cast<double>(locations.size()) / 2), share, 0.02);
  }
}

TEST(Generate, UniformLocationsGoFromLowToHigh) {
  Generation generation = make_generation(Distribution::kUniform);
  const Input whole = generate(statistical_problem(), generation);
  generation.low = -1;
  const auto locations = locations_of(statistical_problem(), generation);
  EXPECT_NEAR(*std::ranges::min_element(locations), -1, 0.001);
  EXPECT_NEAR(*std::ranges::max_element(locations), 1, 0.001);
  int inside = 0;
  for (std::size_t i = 0; i < locations.size(); i += 2) {
    inside += locations[i] > 0 && locations[i + 1] > 0 ? 1 : 0;
  }
  EXPECT_NEAR(2.0 * inside / static_cast<double>(locations.size()), 0.25, 0.02);
  generation.low = 0;
  EXPECT_EQ(generate(statistical_problem(), generation).at("locations"), whole.at("locations"));
  generation.high = -0.5;
  EXPECT_THAT(usage_error_of([&] { generate(small_problem(), generation); }), HasSubstr("low"));
}

TEST(Generate, UniformWeightsAreNoSoftmax) {
  Generation generation = make_generation(Distribution::kUniform);
  generation.weights = WeightKind::kUniform;
  const Problem problem = statistical_problem();
  const Input input = generate(problem, generation);
  const auto weights = to_floats(problem.types.weight, input.at("weights"));
  double sum = 0;
  double squares = 0;
  for (const float weight : weights) {
    ASSERT_TRUE(weight >= 0 && weight <= 1) << weight;
    sum += weight;
    squares += weight * weight;
  }
  const auto count = static_cast<double>(weights.size());
  EXPECT_NEAR(sum / count, 0.5, 0.01);
  EXPECT_NEAR(squares / count, 1.0 / 3, 0.01);
  EXPECT_THAT(input.origin, HasSubstr("uniform weights"));
}

TEST(Generate, BorderCoordinatesAreHalfPixelsAndReachEveryLimit) {
  const Problem problem = statistical_problem();
  std::set<double> seen;  // x in pixels of level 0
  const auto locations = locations_of(problem, make_generation(Distribution::kBorder));
  std::size_t i = 0;
  while (i < locations.size()) {
    for (std::size_t level = 0; level < problem.levels.size(); ++level) {
      for (std::int64_t point = 0; point < problem.points; ++point, i += 2) {
        const double x =
            static_cast<double>(locations[i]) * static_cast<double>(problem.levels[level].width);
        ASSERT_NEAR(2 * x, std::round(2 * x), 1e-4);
        if (level == 0) seen.insert(std::round(2 * x) / 2);
      }
    }
  }
  EXPECT_THAT(seen, testing::IsSupersetOf({-0.5, 0.0, 0.5, 30.0, 30.5, 59.5, 60.0, 60.5}));
  EXPECT_EQ(*seen.begin(), -0.5);
  EXPECT_EQ(*seen.rbegin(), 60.5);
}

TEST(Generate, SameIsOnePoint) {
  const auto locations = locations_of(small_problem(), make_generation(Distribution::kSame));
  for (std::size_t i = 0; i < locations.size(); ++i) EXPECT_EQ(locations[i], locations[i % 2]);
}

TEST(Generate, OriginTellsWhatTheInputDependsOn) {
  EXPECT_EQ(generate(small_problem(), make_generation(Distribution::kLocal, 7)).origin,
            "local, sigma 2, seed 7");
  EXPECT_EQ(generate(small_problem(), make_generation(Distribution::kSame)).origin, "same, seed 1");
}

TEST(Generate, RefusesParametersOutOfRange) {
  Generation generation;
  generation.sigma = -1;
  EXPECT_THAT(usage_error_of([&] { generate(small_problem(), generation); }), HasSubstr("sigma"));
  generation = {};
  generation.outside_share = std::nan("");
  EXPECT_THAT(usage_error_of([&] { generate(small_problem(), generation); }),
              HasSubstr("outside_share"));
  generation = {};
  for (const std::int64_t objects : {std::int64_t{0}, std::numeric_limits<std::int64_t>::max()}) {
    generation.objects = objects;
    EXPECT_THAT(usage_error_of([&] { generate(small_problem(), generation); }),
                HasSubstr("objects"));
  }
  Problem problem = small_problem();
  problem.queries = 0;
  EXPECT_THAT(usage_error_of([&] { generate(problem, {}); }), HasSubstr("queries is 0"));
}

TEST(Generate, ARangeOfOneNumberIsThatNumber) {
  Generation generation = make_generation(Distribution::kUniform);
  generation.low = generation.high = 0.25;
  EXPECT_THAT(locations_of(small_problem(), generation), testing::Each(0.25F));
}

TEST(Generate, EachImageHasObjectsOfItsOwn) {
  Generation generation = make_generation(Distribution::kClustered);
  generation.objects = 1;
  const auto locations = locations_of(statistical_problem(), generation);
  std::array<double, 2> sums{};  // of x, by image
  const std::size_t of_image = locations.size() / 2;
  for (std::size_t i = 0; i < locations.size(); i += 2) sums[i / of_image] += locations[i];
  // The means of two of an object's 400 queries differ by 0.002.
  EXPECT_GT(std::abs(sums[0] - sums[1]) / (static_cast<double>(of_image) / 2), 0.02);
}

TEST(Generate, BorderCoordinatesAreHalfPixelsOfTheHeightToo) {
  Problem problem = statistical_problem();
  problem.levels = {{7, 60}};
  const auto locations = locations_of(problem, make_generation(Distribution::kBorder));
  for (std::size_t i = 1; i < locations.size(); i += 2) {
    const double y = static_cast<double>(locations[i]) * 7;
    ASSERT_NEAR(2 * y, std::round(2 * y), 1e-4);
  }
}

TEST(ContentHash, TellsScalesOfReferencesApart) {
  Input input = generate(small_problem(), {});
  std::set<std::string> hashes;
  for (const double scale : {0.25, 0.5, 0.75}) {
    input.problem.references.scale = scale;
    hashes.insert(content_hash(input));
  }
  EXPECT_EQ(hashes.size(), 3U);
}

}  // namespace
}  // namespace msda
