// What the worker tells of a group whose arms are compiled at the same time.
#include "runner/worker/group_runner.hpp"

#include <unistd.h>

#include <fstream>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/ceilings_history.hpp"
#include "operators/forward/forward.hpp"
#include "support/files.hpp"
#include "support/no_device.hpp"
#include "support/support.hpp"
#include "support/told_times.hpp"

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

/// A clock that nearly stands still.
double no_time(const Composition&) { return 1e-12; }

/// Milliseconds, as the arm's `after` says.
double time_of_after(const Composition& composition) {
  const Parameters& parameters = composition.parts().front().parameters;
  return 1e-3 * static_cast<double>(parameters.get<std::int64_t>("after"));
}

/// A device with a setting, which each arm makes another when it is loaded.
class Settable final : public ToldTimes {
 public:
  Settable() : ToldTimes(no_time) {}
  struct Settings final : DeviceSettings {
    explicit Settings(int number) : value(number) {}
    int value;
  };
  std::unique_ptr<const DeviceSettings> settings() override {
    return std::make_unique<Settings>(value);
  }
  void apply(const DeviceSettings& settings) override {
    value = static_cast<const Settings&>(settings).value;
  }
  Prepared load(const Composition& composition, const Problem& problem,
                const Build& build) override {
    found.insert(value);
    value = ++loaded;
    return ToldTimes::load(composition, problem, build);
  }
  std::vector<std::vector<double>> time_parts(TimingMode mode, int samples, int parts,
                                              const std::function<void(int, int)>& launch,
                                              LaunchWatch* watch) override {
    timed.insert(value);
    return ToldTimes::time_parts(mode, samples, parts, launch, watch);
  }

  int value = 0;
  int loaded = 0;
  std::set<int> found;  ///< by those that were loaded
  std::set<int> timed;
};

/// With a counter of energy that moves whenever it is read.
class Metered final : public ToldTimes {
 public:
  Metered() : ToldTimes(time_of_after) {}
  std::optional<double> energy_joules() const override { return ++joules_; }

 private:
  mutable double joules_ = 0;
};

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
    return run_on(device, shipped());
  }

  /// The records of these arms of the fixture, timed beside the first, by their names.
  std::map<std::string, Record> timed(Device& device, std::vector<ArmEntry> arms, int blocks) {
    const ScopedVariable cache("MSDA_CACHE_DIR", directory_.path().c_str());
    known_ceilings(device);
    request_.timed = true;
    request_.baseline = arms.front().name;
    request_.measure.blocks = blocks;
    request_.arms = std::move(arms);
    std::map<std::string, Record> records;
    for (const auto& event : of_kind(run_on(device, fixture_registry()), event::kRecord)) {
      Record record = record_from_json(event.at("record"));
      records[record.arm] = std::move(record);
    }
    return records;
  }

  /// The events of the request on a device.
  std::vector<nlohmann::json> run_on(Device& device, const Registry& registry) {
    const auto file = directory_.path() / "events";
    const auto channel = channel_to(file);
    InputSets inputs;
    GroupRunner(device, registry, inputs, *channel).run(request_);
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

TEST_F(GroupRunnerTest, AnArmThatIsFasterThanItsDeviceIsImpossible) {
  ToldTimes device(no_time);
  const Record record = timed(device, {fixture_arm("good", "good")}, 2).at("good");
  EXPECT_EQ(record.status, CellStatus::kImpossible) << record.reason;
  EXPECT_THAT(record.reason, HasSubstr("the work is not in what is timed"));
  EXPECT_TRUE(record.samples.empty());
}

TEST_F(GroupRunnerTest, WhatAnArmSetsOfTheDeviceItsOwnStepsAloneFind) {
  Settable device;
  const auto records = timed(
      device,
      {fixture_arm("one", "good"), fixture_arm("two", "good"), fixture_arm("three", "good")}, 2);
  EXPECT_THAT(records, testing::SizeIs(3));
  EXPECT_THAT(device.found, testing::ElementsAre(0));
  EXPECT_THAT(device.timed, testing::ElementsAre(1, 2, 3));
  EXPECT_EQ(device.value, 0);
}

TEST_F(GroupRunnerTest, LosersOfAHalvingStopEarlyAndTheBaselineDoesNot) {
  ToldTimes device(time_of_after);
  request_.keep = 1;
  const auto records = timed(device,
                             {fixture_arm("good", "good", 9), fixture_arm("first", "good", 1),
                              fixture_arm("second", "good", 4), fixture_arm("third", "good", 7),
                              fixture_arm("fourth", "good", 10)},
                             4);
  EXPECT_THAT(records.at("good").samples, testing::SizeIs(4));
  EXPECT_THAT(records.at("first").samples, testing::SizeIs(4));
  EXPECT_EQ(records.at("first").stopped_by, "blocks");
  EXPECT_THAT(records.at("second").samples, testing::SizeIs(2));
  EXPECT_THAT(records.at("third").samples, testing::SizeIs(1));
  EXPECT_THAT(records.at("fourth").samples, testing::SizeIs(1));
  EXPECT_EQ(records.at("fourth").stopped_by, "halving");
  EXPECT_EQ(records.at("fourth").status, CellStatus::kOk);
}

TEST_F(GroupRunnerTest, EnergyIsOfTheFirstProcessAndOfArmsThatCameToTheEnd) {
  request_.measure.energy = std::chrono::milliseconds(50);  // ten pieces of launches
  request_.keep = 1;
  const auto power = [&](const std::string& arm) {
    Metered device;
    const auto records = timed(device,
                               {fixture_arm("good", "good", 9), fixture_arm("first", "good", 1),
                                fixture_arm("second", "good", 4)},
                               2);
    return records.at(arm).processes.at(0).power;
  };
  EXPECT_TRUE(power("good"));
  EXPECT_TRUE(power("first"));
  EXPECT_FALSE(power("second")) << "it was retired";
  request_.process = 1;
  EXPECT_FALSE(power("good"));
}

TEST_F(GroupRunnerTest, ComparesHalvesWithTheOutputThatCameWithThem) {
  const auto device = open_device("cpu");
  ProblemSpec half = tiny_problem();
  half.problem.types = Types::all(DType::kFloat16);
  Input input = make_input(half);
  const Truth truth = forward::make_truth(input, forward::compute_reference(input));
  const auto status_with = [&](double factor) {
    std::vector<float>& expected = input.expected[forward::kOutput];
    expected.clear();
    for (const double x : truth.output) expected.push_back(static_cast<float>(factor * x));
    const auto place = directory_.path() / fmt::format("input{}", factor);
    write_directory(input, place, FileFormat::kNpy);
    request_.problem = directory_spec(place, half.problem);
    request_.baseline = "cpu-scalar";
    request_.arms = {{"cpu-scalar", {{"cpu-scalar", {}}}, "cpu-scalar"}};
    const auto records = of_kind(run_on(*device, shipped_registry()), event::kRecord);
    const Record record = record_from_json(records.at(0).at("record"));
    EXPECT_TRUE(record.expected_relative_l2);
    EXPECT_FALSE(record.processes.at(0).output.empty());
    return record.status;
  };
  EXPECT_EQ(status_with(1), CellStatus::kOk);
  EXPECT_EQ(status_with(1.001), CellStatus::kOk);  // another's rounding
  EXPECT_EQ(status_with(1.2), CellStatus::kWrong);
}

TEST_F(GroupRunnerTest, EachProcessPreparesTheArmsInAnOrderOfItsOwn) {
  const auto device = open_device("cpu");
  request_.arms.clear();
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    request_.arms.push_back(fixture_arm(name, "good"));
  }
  std::set<std::vector<std::string>> orders;
  for (request_.process = 0; request_.process < 4; ++request_.process) {
    std::vector<std::string> order;
    for (const nlohmann::json& event :
         of_kind(run_on(*device, fixture_registry()), event::kPhase)) {
      if (event.at("phase") == "prepare") order.push_back(event.at("cell"));
    }
    EXPECT_THAT(order, testing::SizeIs(5));
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 2U);
}

}  // namespace
}  // namespace msda::test
