// What the worker tells of a group whose arms are compiled at the same time.
#include "runner/worker/group_runner.hpp"

#include <unistd.h>

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/no_device.hpp"
#include "support.hpp"

namespace msda::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// A channel whose events go to a file, while standard input and output stay with the test.
std::unique_ptr<EventChannel> channel_to(const std::filesystem::path& file) {
  const int input = ::dup(STDIN_FILENO);
  const int output = ::dup(STDOUT_FILENO);
  std::FILE* events = std::fopen(file.c_str(), "w");
  ::dup2(::fileno(events), STDOUT_FILENO);
  auto channel = std::make_unique<EventChannel>();
  std::fclose(events);
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::close(input);
  ::close(output);
  return channel;
}

class GroupRunnerTest : public testing::Test {
 protected:
  GroupRunnerTest() {
    request_.experiment = "test";
    request_.problem = tiny_problem();
    request_.baseline = "defaults";
    request_.timed = false;
    request_.arms = {{"defaults", {}, "direct defaults"},
                     {"bad", {{"thread-per-channel", {}}}, "thread-per-channel"}};
  }

  /// Compiles with a compiler that refuses one arm. The device has no memory, so that the other arm
  /// ends with the inputs. Returns the events.
  std::vector<nlohmann::json> run() {
    NoDevice device([](const Composition& composition, const Problem&) -> Build {
      if (!composition.parts().empty()) throw Error("this is not C++");
      return {nullptr, {0.5, true}};
    });
    const auto file = directory_.path() / "events";
    const auto channel = channel_to(file);
    InputSets inputs;
    GroupRunner(device, shipped(), inputs, *channel).run(request_);
    std::vector<nlohmann::json> events;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
      events.push_back(nlohmann::json::parse(line));
    }
    return events;
  }

  static std::vector<nlohmann::json> of_kind(const std::vector<nlohmann::json>& events,
                                             const std::string& kind) {
    std::vector<nlohmann::json> found;
    std::copy_if(events.begin(), events.end(), std::back_inserter(found),
                 [&](const nlohmann::json& event) { return event.at("event") == kind; });
    return found;
  }

  /// The cells at work whenever the phase "compile" was announced.
  static std::vector<std::string> compiling(const std::vector<nlohmann::json>& events) {
    std::vector<std::string> cells;
    for (const nlohmann::json& event : of_kind(events, event::kPhase)) {
      if (event.at("phase") == "compile") cells.push_back(event.at("cell"));
    }
    return cells;
  }

  TemporaryDirectory directory_;
  GroupRequest request_;
};

TEST_F(GroupRunnerTest, AnArmThatDoesNotCompileFailsAlone) {
  const auto records = of_kind(run(), event::kRecord);
  ASSERT_EQ(records.size(), 2U);
  const Record bad = record_from_json(records.at(0).at("record"));
  EXPECT_EQ(bad.arm, "bad");
  EXPECT_EQ(bad.status, CellStatus::kFailed);
  EXPECT_EQ(bad.reason, "compile: this is not C++");
  EXPECT_FALSE(bad.compilation);
  const Record other = record_from_json(records.at(1).at("record"));
  EXPECT_EQ(other.arm, "defaults");
  EXPECT_THAT(other.reason, HasSubstr("free"));
  EXPECT_EQ(other.compilation.value().seconds, 0.5);
  EXPECT_TRUE(other.compilation.value().from_cache);
}

TEST_F(GroupRunnerTest, CompilationOfAllArmsIsAnnouncedAndCounted) {
  const auto events = run();
  EXPECT_THAT(compiling(events), testing::ElementsAre("", "tiny/defaults/warm", "tiny/bad/warm"));
  const auto compiled = of_kind(events, event::kCompiled);
  ASSERT_EQ(compiled.size(), 2U);
  EXPECT_EQ(compiled.back().at("done"), 2);
  EXPECT_EQ(compiled.back().at("count"), 2);
  EXPECT_EQ(compiled.back().at("from_cache"), 1);
  for (const nlohmann::json& event : of_kind(events, event::kPhase)) {
    EXPECT_THAT(event.at("range").get<std::string>(), StartsWith("experiment test"));
  }
}

TEST_F(GroupRunnerTest, SeparatelyEachArmCompilesUnderItsOwnName) {
  request_.separately = true;
  const auto events = run();
  EXPECT_THAT(compiling(events), testing::ElementsAre("tiny/defaults/warm", "tiny/bad/warm"));
  EXPECT_TRUE(of_kind(events, event::kCompiled).empty());
  EXPECT_THAT(of_kind(events, event::kRecord).at(0).at("record").at("reason").get<std::string>(),
              StartsWith("compile: this is not C++"));
}

}  // namespace
}  // namespace msda::test
