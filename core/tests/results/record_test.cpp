#include "results/record.hpp"

#include <cmath>
#include <limits>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <msda/error.hpp>

#include <msda/error.hpp>

namespace msda {
namespace {

using testing::HasSubstr;

Record full_record() {
  Record record;
  record.cell = "mine/fast/cold";
  record.problem = "mine";
  record.arm = "fast";
  record.composition = "vector-loads{width=8}";
  record.mode = TimingMode::kCold;
  record.device = "cuda:0";
  record.status = CellStatus::kOk;
  record.baseline = true;
  record.outputs = {{.name = "output",
                     .relative_l2 = 1.25e-7,
                     .tolerance = 1e-5,
                     .maximum_absolute = 3e-6,
                     .row_error = 0.25,
                     .element_error = 0.5,
                     .worst_element = {1, 20, 3, 7},
                     .spread = 1e-8}};
  record.expected_relative_l2 = 2e-7;
  record.devices = 2;
  record.samples = {{0, 0, {1e-3, 1.1e-3}}, {0, 1, {0.1 + 0.2}, {"sw-power-cap"}}};
  record.processes = {{0,
                       {"00ff", "11ee"},
                       12.5,
                       Conditions{1980, 2619, 41, 118.5, {}},
                       Conditions{1755, std::nullopt, 66, 700.25, {"sw-power-cap"}},
                       PowerDraw{0.05, 600, 1965},
                       "0a1b0a1b0a1b0a1b0a1b0a1b0a1b0a1b"}};
  record.parts = {{"prepare", {{0, 0, {1e-4}}}, true}, {"kernel", {{0, 0, {9e-4}}}}};
  record.compilation = Compilation{0.75, true};
  record.stopped_by = "budget";
  record.resources = {40, 1024, 2048, 8, "abcd", "ef01"};
  record.evidence = Evidence{Evidence::Status::kVacuous,
                             {"prefetch-query: a work item has one tile"},
                             "its threads are not counted",
                             {{"rows.prefetched", 0}, {"value.loads", 1e9}}};
  record.prepare_seconds = 0.5;
  record.traffic.read = 5'000'000'000;
  record.traffic.gathered = 7;
  record.traffic.flops = 9;
  return record;
}

const std::set<std::string> kOptional = {"expected_relative_l2", "parts", "compilation", "evidence",
                                         "devices"};

std::string message_of(const nlohmann::json& json) {
  try {
    record_from_json(json);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(RecordJson, RoundTripKeepsEveryFieldAndEveryBit) {
  const Record record = full_record();
  const auto text = to_json(record).dump();
  const Record back = record_from_json(nlohmann::json::parse(text));
  EXPECT_EQ(to_json(back).dump(), text);
  EXPECT_EQ(back.samples.at(1).seconds.at(0), 0.1 + 0.2);
  EXPECT_EQ(back.mode, TimingMode::kCold);
  EXPECT_EQ(back.traffic.once(), 5'000'000'000);
  EXPECT_EQ(back.resources.cubin_hash, "abcd");
  EXPECT_EQ(back.expected_relative_l2, 2e-7);
  EXPECT_EQ(back.devices, 2);
  ASSERT_EQ(back.parts.size(), 2U);
  EXPECT_EQ(back.parts.at(0).name, "prepare");
  EXPECT_TRUE(back.parts.at(0).outside);
  EXPECT_FALSE(back.parts.at(1).outside);
  EXPECT_EQ(back.parts.at(1).samples.at(0).seconds.at(0), 9e-4);
  EXPECT_TRUE(back.compilation.value().from_cache);
  EXPECT_THAT(back.samples.at(1).throttled, testing::ElementsAre("sw-power-cap"));
  ASSERT_EQ(back.processes.size(), 1U);
  EXPECT_THAT(back.processes[0].inputs, testing::ElementsAre("00ff", "11ee"));
  EXPECT_EQ(back.processes[0].output, record.processes[0].output);
  EXPECT_EQ(back.processes[0].before.value().sm_clock_mhz, 1980);
  EXPECT_FALSE(back.processes[0].after.value().memory_clock_mhz);
  EXPECT_EQ(back.processes[0].after.value().power_watts, 700.25);
  EXPECT_EQ(back.processes[0].power.value().joules, 0.05);
}

Record in_process(int process, CellStatus status, double seconds) {
  Record record = full_record();
  record.status = status;
  record.processes = {{process, {}, 1, {}, {}}};
  record.samples = {{process, 0, {seconds}}};
  record.parts = {{"kernel", {{process, 0, {seconds}}}}};
  return record;
}

TEST(JoinedRecords, HoldTheSamplesOfAllProcesses) {
  Record later = in_process(1, CellStatus::kOk, 2);
  later.outputs.front().relative_l2 = 1e-9;
  const Record both = joined(in_process(0, CellStatus::kOk, 1), later);
  ASSERT_EQ(both.samples.size(), 2U);
  EXPECT_EQ(both.samples[0].seconds.front(), 1);
  EXPECT_EQ(both.samples[1].seconds.front(), 2);
  EXPECT_EQ(both.processes.size(), 2U);
  EXPECT_EQ(both.parts.at(0).samples.size(), 2U);
  EXPECT_EQ(both.worst_output().relative_l2, 1.25e-7);
}

TEST(JoinedRecords, OfOneProcessTheLaterCounts) {
  const Record both =
      joined(in_process(0, CellStatus::kCrashed, 1), in_process(0, CellStatus::kOk, 2));
  EXPECT_EQ(both.status, CellStatus::kOk);
  ASSERT_EQ(both.samples.size(), 1U);
  EXPECT_EQ(both.samples[0].seconds.front(), 2);
}

/// As a program of that version would have written it: one operator with one output.
nlohmann::json as_version(int schema) {
  nlohmann::json json = to_json(full_record());
  json["schema"] = schema;
  const nlohmann::json output = json.at("outputs").at(0);
  for (const char* error : {"relative_l2", "tolerance", "maximum_absolute", "row_error",
                            "element_error", "worst_element"}) {
    json[error] = output.at(error);
  }
  json.update({{"minimum_dram_bytes", 5'000'000'000}, {"gathered_bytes", 7}, {"flops", 9}});
  for (const char* later : {"operator", "outputs", "traffic"}) json.erase(later);
  return json;
}

TEST(RecordJson, ReadsTheFirstVersion) {
  auto json = as_version(1);
  json.erase("phase");
  json.erase("processes");
  json["samples"][1]["process"] = 3;
  const Record back = record_from_json(json);
  ASSERT_EQ(back.processes.size(), 2U);
  EXPECT_EQ(back.processes[0].process, 0);
  EXPECT_EQ(back.processes[1].process, 3);
  EXPECT_EQ(to_json(back).at("schema"), kRecordSchema);
}

TEST(RecordJson, ReadsTheSecondVersion) {
  auto json = as_version(2);
  for (const char* name : {"row_error", "element_error", "worst_element"}) json.erase(name);
  const Record back = record_from_json(json);
  EXPECT_EQ(back.worst_output().relative_l2, 1.25e-7);
  EXPECT_EQ(back.worst_output().row_error, 0);
  EXPECT_TRUE(back.worst_output().worst_element.empty());
  EXPECT_EQ(to_json(back).at("processes"), to_json(full_record()).at("processes"));
  EXPECT_FALSE(back.processes.empty());
}

TEST(RecordJson, ReadsTheThirdVersionAsOneOutputOfTheOperatorForward) {
  const Record back = record_from_json(as_version(3));
  EXPECT_EQ(back.op, "forward");
  ASSERT_EQ(back.outputs.size(), 1U);
  EXPECT_EQ(back.outputs[0].name, "output");
  EXPECT_EQ(back.outputs[0].relative_l2, 1.25e-7);
  EXPECT_EQ(back.outputs[0].element_error, 0.5);
  EXPECT_EQ(back.traffic.once(), 5'000'000'000);
  EXPECT_EQ(back.traffic.gathered, 7);
  EXPECT_EQ(back.traffic.flops, 9);
}

TEST(RecordJson, TheOutputFurthestBeyondItsToleranceIsTheWorst) {
  Record record = full_record();
  record.outputs.push_back(
      {.name = "grad", .relative_l2 = 1e-7, .tolerance = 1e-8, .worst_element = {}});
  EXPECT_EQ(record.worst_output().name, "grad");
  record.outputs.front().relative_l2 = std::nan("");
  EXPECT_EQ(record.worst_output().name, "output");
  EXPECT_EQ(Record().worst_output().tolerance, 0);
}

TEST(JoinedRecords, NameTheWorstElementOfAllProcesses) {
  const Record earlier = in_process(0, CellStatus::kOk, 1);
  Record later = in_process(1, CellStatus::kOk, 2);
  later.outputs.front().row_error = 0.75;
  later.outputs.front().tolerance = 1;
  later.outputs.front().element_error = 0.1;
  later.outputs.front().worst_element = {0, 0, 0, 0};
  const Record both = joined(earlier, later);
  EXPECT_EQ(both.worst_output().row_error, 0.75);
  EXPECT_EQ(both.worst_output().tolerance, 1);
  EXPECT_EQ(joined(later, earlier).worst_output().tolerance, 1);
  EXPECT_EQ(both.worst_output().element_error, 0.5);
  EXPECT_EQ(both.worst_output().worst_element, earlier.worst_output().worst_element);
}

TEST(JoinedRecords, AnInterruptedProcessIsNoFailure) {
  const Record cut_short = in_process(0, CellStatus::kInterrupted, 1);
  EXPECT_EQ(joined(cut_short, in_process(1, CellStatus::kOk, 2)).status, CellStatus::kOk);
}

TEST(JoinedRecords, AFailureInAnyProcessIsOneOfTheCell) {
  Record wrong = in_process(1, CellStatus::kWrong, 2);
  wrong.reason = "off by one";
  const Record ok = in_process(0, CellStatus::kOk, 1);
  EXPECT_EQ(joined(ok, wrong).status, CellStatus::kWrong);
  EXPECT_EQ(joined(wrong, ok).status, CellStatus::kWrong);
  EXPECT_EQ(joined(wrong, ok).reason, "off by one");
}

TEST(JoinedRecords, AnErrorThatIsNotANumberStays) {
  Record odd = in_process(1, CellStatus::kOk, 2);
  odd.outputs.front().relative_l2 = std::numeric_limits<double>::quiet_NaN();
  const Record ok = in_process(0, CellStatus::kOk, 1);
  EXPECT_TRUE(std::isnan(joined(ok, odd).worst_output().relative_l2));
  EXPECT_TRUE(std::isnan(joined(odd, ok).worst_output().relative_l2));
}

TEST(RecordJson, NotANumberBecomesNullAndReturns) {
  Record record = full_record();
  record.outputs.front().relative_l2 = std::numeric_limits<double>::quiet_NaN();
  const auto json = to_json(record);
  EXPECT_TRUE(json.at("outputs").at(0).at("relative_l2").is_null());
  EXPECT_TRUE(std::isnan(record_from_json(json).worst_output().relative_l2));
}

TEST(RecordJson, EveryStatusRoundTrips) {
  for (const CellStatus status :
       {CellStatus::kOk, CellStatus::kWrong, CellStatus::kSkipped, CellStatus::kFailed,
        CellStatus::kCrashed, CellStatus::kHung, CellStatus::kImpossible}) {
    Record record;
    record.status = status;
    EXPECT_EQ(record_from_json(to_json(record)).status, status);
  }
}

TEST(RecordJson, FieldsThatMayBeAbsent) {
  auto json = to_json(full_record());
  for (const std::string& name : kOptional) json.erase(name);
  const Record back = record_from_json(json);
  EXPECT_FALSE(back.expected_relative_l2);
  EXPECT_FALSE(back.compilation);
  EXPECT_TRUE(back.parts.empty());
  EXPECT_EQ(to_json(back), json);
}

TEST(RecordJson, ErrorsNameTheField) {
  const auto good = to_json(full_record());
  for (const auto& [name, value] : good.items()) {
    if (kOptional.contains(name)) continue;
    auto json = good;
    json.erase(name);
    EXPECT_THAT(message_of(json), HasSubstr("lacks field '" + name + "'"));
  }
  auto json = good;
  json["status"] = "fine";
  EXPECT_THAT(message_of(json), HasSubstr("'status' must be ok, wrong"));
  json = good;
  json["traffic"]["flops"] = 1.5;
  EXPECT_THAT(message_of(json), HasSubstr("'traffic.flops' must be an integer, not 1.5"));
  json = good;
  json["resources"]["registers"] = "many";
  EXPECT_THAT(message_of(json), HasSubstr("'resources.registers' must be an integer"));
  json = good;
  json["parts"][0].erase("name");
  EXPECT_THAT(message_of(json), HasSubstr("lacks field 'parts.name'"));
  json = good;
  json["samples"][0]["seconds"][0] = nullptr;
  EXPECT_THAT(message_of(json), HasSubstr("'samples.seconds' must hold numbers"));
}

TEST(RecordJson, RefusesAnotherSchema) {
  auto json = to_json(full_record());
  json["schema"] = kRecordSchema + 1;
  EXPECT_THAT(message_of(json), HasSubstr("this program reads schemas 1 to 4"));
}

TEST(JoinedRecords, PartsAreJoinedByName) {
  Record earlier = in_process(0, CellStatus::kOk, 1);
  earlier.parts.insert(earlier.parts.begin(), {"prepare", {{0, 0, {7}}}, true});
  const Record both = joined(earlier, in_process(1, CellStatus::kOk, 2));
  ASSERT_EQ(both.parts.size(), 1U);
  ASSERT_EQ(both.parts[0].samples.size(), 2U);
  EXPECT_EQ(both.parts[0].samples[0].seconds.front(), 1);
  EXPECT_EQ(both.parts[0].samples[1].seconds.front(), 2);
}

TEST(JoinedRecords, AProcessWithoutOutputsLeavesThoseOfTheOthers) {
  Record crashed = in_process(1, CellStatus::kCrashed, 2);
  crashed.outputs.clear();
  const Record both = joined(in_process(0, CellStatus::kOk, 1), crashed);
  ASSERT_EQ(both.outputs.size(), 1U);
  EXPECT_EQ(both.outputs[0].relative_l2, 1.25e-7);
}

TEST(JoinedRecords, TellOfTheCompilationOfTheFirstProcess) {
  Record first = in_process(0, CellStatus::kOk, 1);
  first.compilation = Compilation{9.5, false};
  Record second = in_process(1, CellStatus::kOk, 2);
  second.compilation = Compilation{0.01, true};
  const Record both = joined(first, second);
  ASSERT_TRUE(both.compilation);
  EXPECT_EQ(both.compilation->seconds, 9.5);
  EXPECT_FALSE(both.compilation->from_cache);
}

}  // namespace
}  // namespace msda
