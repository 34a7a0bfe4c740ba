#include "runner/protocol/protocol.hpp"

#include <gtest/gtest.h>

#include "support/support.hpp"

namespace msda::test {
namespace {

GroupRequest full_request() {
  GroupRequest request;
  request.experiment = "study";
  request.problem = tiny_problem();
  request.problem.problem.layout = ValueLayout::kZeroBorder;
  request.problem.problem.types = {DType::kFloat16, DType::kFloat32, DType::kBFloat16,
                                   DType::kFloat16};
  request.problem.generation = {Distribution::kClustered, -0.5, 1.5,   WeightKind::kUniform,
                                QueryOrder::kShuffled,    1.5,  0.125, 3,
                                0xffffffffffffffffU};
  request.mode = TimingMode::kGraph;
  request.arms = {
      {"a", {{"v", {{"b", true}, {"i", std::int64_t{3}}, {"d", 2.0}, {"s", "text"}}}}, "v{...}"},
      {"plain", {}, "direct"}};
  request.baseline = "plain";
  request.measure.modes = {TimingMode::kCold, TimingMode::kWarm};
  request.measure.budget = std::chrono::duration<double>(0.1);
  request.process = 4;
  request.timed = false;
  request.separately = true;
  request.evidence = true;
  request.verified = false;
  return request;
}

TEST(Protocol, ARequestSurvivesTheWayThroughText) {
  const GroupRequest request = full_request();
  const std::string text = to_json(request).dump();
  const GroupRequest back = group_request_from_json(nlohmann::json::parse(text));
  EXPECT_EQ(to_json(back).dump(), text);
  EXPECT_EQ(back.problem.problem, request.problem.problem);
  EXPECT_EQ(back.arms.at(0).uses, request.arms.at(0).uses);
  EXPECT_EQ(back.measure.budget, request.measure.budget);
}

TEST(Protocol, ADirectorySurvives) {
  GroupRequest request = full_request();
  request.problem.directory = "/some/where";
  const GroupRequest back = group_request_from_json(to_json(request));
  EXPECT_EQ(back.problem.directory, request.problem.directory);
}

TEST(Protocol, AMalformedRequestIsAnError) {
  nlohmann::json json = to_json(full_request());
  json.erase("mode");
  EXPECT_THROW(group_request_from_json(json), Error);
}

}  // namespace
}  // namespace msda::test
