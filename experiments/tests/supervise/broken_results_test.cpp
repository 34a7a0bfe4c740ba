// Results that another program, or a hand, has changed: every field of another type is answered
// with one clear line, and never with a crash or an exception of a library.
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/plan_time.hpp"
#include "files/read.hpp"
#include "render/formats.hpp"
#include "results/manifest.hpp"
#include "runner/supervise/manifest.hpp"
#include "runner/supervise/merge.hpp"
#include "support/day.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kExperiment =
    "device: cpu\n"
    "problems: [{name: p, queries: 2, levels: [[3, 3]]}]\n"
    "ablation:\n"
    "  base: [fixture]\n"
    "  factors: {slow: {fixture: {milliseconds: 1}}, late: {fixture: {after: 2}}}\n"
    "  design: [full, ladder]\n"
    "claims: [{text: slow is fast, source: a test, arm: base+slow, speedup: 2x}]\n"
    "measure: {processes: 2, most_processes: 2, blocks: 2, samples: 2}\n";

/// The places of all values in a document, of lists the first element alone.
void add_places(const json& value, const json::json_pointer& place,
                std::vector<json::json_pointer>& places) {
  if (!place.empty()) places.push_back(place);
  if (value.is_object()) {
    for (const auto& [key, element] : value.items()) add_places(element, place / key, places);
  } else if (value.is_array() && !value.empty()) {
    add_places(value.front(), place / 0, places);
  }
}

class BrokenResults : public testing::Test {
 protected:
  BrokenResults() {
    file_ = directory_.write("x.yaml", kExperiment);
    results_ = directory_.path() / "results";
    const Outcome outcome = run({"run", file_, "--output", results_});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    manifest_ = json::parse(read_text(results_ / kManifestFile));
    records_ = read_text(results_ / kRecordsFile);
  }

  /// All that reads a run's directory, with every error but one of usage as a failure.
  void read_in_every_way(const std::string& what) {
    const auto expect_usage_errors = [&](const char* reader, const auto& action) {
      try {
        action();
      } catch (const UsageError& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << what;
        EXPECT_LT(std::string(error.what()).size(), 1000U) << what;
      } catch (const std::exception& error) {
        ADD_FAILURE() << what << " ends " << reader << ": " << error.what();
      }
    };
    expect_usage_errors("report", [&] {
      const Report report = make_report(results_);
      to_markdown(report);
      to_json(report);
      to_csv(report);
      to_claims_csv(report);
    });
    expect_usage_errors("plan", [&] { read_earlier_run(results_, device_of_run(results_)); });
    expect_usage_errors("merge", [&] {
      const auto merged = directory_.path() / "merged";
      std::filesystem::remove_all(merged);
      merge_runs({results_}, merged);
    });
    expect_usage_errors("resume", [&] {
      Experiment experiment;
      experiment.text = manifest_.at("experiment_text");
      check_resumable(read_manifest(results_), experiment, Plan(), fixture_registry());
    });
  }

  void write(const char* name, const std::string& text) const {
    std::ofstream(results_ / name, std::ios::trunc) << text;
  }

  TemporaryDirectory directory_;
  std::filesystem::path file_;
  std::filesystem::path results_;
  json manifest_;
  std::string records_;
};

/// Three of nine kinds of values, others for the next place and on the next day.
std::vector<json> other_types(std::size_t place) {
  static const std::vector<std::vector<json>> kTypes = {
      {5, "text", json::array()}, {-1, true, json::object()}, {1e300, nullptr, {1, "a"}}};
  return kTypes[(place + day_of_tests()) % kTypes.size()];
}

TEST_F(BrokenResults, AFieldOfTheManifestOfAnotherTypeIsAUsageError) {
  std::vector<json::json_pointer> places;
  add_places(manifest_, json::json_pointer(), places);
  EXPECT_GT(places.size(), 100U);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const json::json_pointer& place = places[i];
    for (const json& value : other_types(i)) {
      json broken = manifest_;
      broken[place] = value;
      write(kManifestFile, broken.dump());
      read_in_every_way(place.to_string() + " = " + value.dump());
    }
  }
}

TEST_F(BrokenResults, AFieldOfARecordOfAnotherTypeIsAUsageError) {
  const json first = json::parse(records_.substr(0, records_.find('\n')));
  const std::string rest = records_.substr(records_.find('\n'));
  std::vector<json::json_pointer> places;
  add_places(first, json::json_pointer(), places);
  EXPECT_GT(places.size(), 25U);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const json::json_pointer& place = places[i];
    for (const json& value : other_types(i)) {
      json broken = first;
      broken[place] = value;
      write(kRecordsFile, broken.dump() + rest);
      read_in_every_way("record " + place.to_string() + " = " + value.dump());
    }
  }
}

TEST_F(BrokenResults, TheProgramSaysWhichFieldAndExitsWithTwo) {
  json broken = manifest_;
  broken["plan"]["cells"] = 5;
  write(kManifestFile, broken.dump());
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"report", results_},
        {"plan", file_, "--like", results_},
        {"run", file_, "--resume", results_},
        {"merge", results_, "--output", directory_.path() / "merged"}}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.exit_code, 2) << command.front();
    EXPECT_THAT(outcome.err,
                HasSubstr("manifest.json: manifest field 'plan.cells' must be a list, not 5\n"))
        << command.front();
  }
  write(kManifestFile, manifest_.dump());
  write(kRecordsFile, "{\"schema\": 2, \"cell\": [1]}\n");
  const Outcome outcome = run({"report", results_});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("records.jsonl:1: record field 'cell' must be a string"));
}

TEST_F(BrokenResults, APickOfBestThatIsNoTextIsAUsageError) {
  json broken = manifest_;
  broken["plan"]["best"] = {{{"arm", "best"}, {"composition", 5}}};
  write(kManifestFile, broken.dump());
  const Outcome outcome = run({"report", results_});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("plan.best.composition' must be a string, not 5"));
}

TEST_F(BrokenResults, AManifestThatIsNoFileOrNoJsonIsAUsageError) {
  for (const std::string text : {"", "{", "[]", "5", "\"text\"", "{\"schema\": \"1\"}"}) {
    write(kManifestFile, text);
    read_in_every_way("manifest " + text);
    EXPECT_EQ(run({"report", results_}).exit_code, 2) << text;
  }
  std::filesystem::remove(results_ / kManifestFile);
  std::filesystem::create_symlink("/dev/zero", results_ / kManifestFile);
  const Outcome outcome = run({"report", results_});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("not a regular file"));
}

}  // namespace
}  // namespace msda::test
