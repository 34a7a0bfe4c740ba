// What nvbench wrote, as a run.
#include <fstream>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "runner/import/nvbench.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

json summary(const std::string& tag, const std::string& value) {
  return {{"tag", tag}, {"data", {{{"name", "value"}, {"type", "float64"}, {"value", value}}}}};
}

json state(const std::string& kernel, const std::string& queries, double scale) {
  return {{"name", "Kernel=" + kernel + " Queries=" + queries},
          {"device", 0},
          {"axis_values",
           {{{"name", "Kernel"}, {"type", "string"}, {"value", kernel}},
            {{"name", "Queries"}, {"type", "int64"}, {"value", queries}}}},
          {"summaries",
           {summary("nv/cold/time/gpu/mean", std::to_string(2e-3 * scale)),
            summary("nv/batch/time/gpu/mean", std::to_string(1e-3 * scale))}},
          {"is_skipped", false}};
}

/// Two kernels on two problems, the second kernel twice as fast.
json measurements() {
  return {{"meta", {{"argv", {"bench", "--json", "measured.json"}}}},
          {"devices", {{{"id", 0}, {"name", "NVIDIA Test"}}}},
          {"benchmarks",
           {{{"name", "msda"},
             {"states",
              {state("slow one", "100", 1), state("fast/one", "100", 0.5),
               state("slow one", "900", 2), state("fast/one", "900", 1)}}}}}};
}

class NvbenchTest : public testing::Test {
 protected:
  ImportedRun import(const json& root, const NvbenchOptions& options) const {
    return import_nvbench(directory_.write("measured.json", root.dump()), options);
  }
  std::string message_of(const std::string& text, const NvbenchOptions& options) const {
    try {
      import_nvbench(directory_.write("measured.json", text), options);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "no error";
  }

  NvbenchOptions by_kernel_{"Kernel", std::nullopt, std::nullopt};
  TemporaryDirectory directory_;
};

TEST_F(NvbenchTest, AxesBecomeArmsAndProblems) {
  const ImportedRun run = import(measurements(), by_kernel_);
  ASSERT_EQ(run.records.size(), 8U);
  const Record& cold = run.records[0];
  EXPECT_EQ(cold.cell, "Queries=100/slow_one/cold");
  EXPECT_EQ(cold.status, CellStatus::kOk);
  EXPECT_TRUE(cold.baseline);
  EXPECT_THAT(cold.samples.at(0).seconds, ElementsAre(2e-3));
  const Record& warm = run.records[3];
  EXPECT_EQ(warm.cell, "Queries=100/fast_one/warm");
  EXPECT_THAT(warm.samples.at(0).seconds, ElementsAre(5e-4));
  EXPECT_FALSE(warm.baseline);
  EXPECT_EQ(run.manifest.device.value().name, "NVIDIA Test");
}

TEST_F(NvbenchTest, TakesEachIsolatedSampleWhereTheyWereKept) {
  json root = measurements();
  json& first = root["benchmarks"][0]["states"][0];
  first["summaries"].push_back(
      {{"tag", "nv/json/bin:nv/cold/sample_times"},
       {"data",
        {{{"name", "filename"}, {"type", "string"}, {"value", "measured.json-bin/0.bin"}},
         {{"name", "size"}, {"type", "int64"}, {"value", "3"}}}}});
  std::filesystem::create_directory(directory_.path() / "measured.json-bin");
  const float samples[] = {0.25F, 0.5F, 0.125F};
  std::ofstream(directory_.path() / "measured.json-bin" / "0.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(samples), sizeof(samples));
  const ImportedRun run = import(root, by_kernel_);
  EXPECT_THAT(run.records[0].samples.at(0).seconds, ElementsAre(0.25, 0.5, 0.125));
}

TEST_F(NvbenchTest, NumbersWithMoreBehindThemAndHalfDevicesAreRefused) {
  for (const char* value : {"0.002abc", "abc", "", "1e999"}) {
    json root = measurements();
    root["benchmarks"][0]["states"][1]["summaries"][1] = summary("nv/batch/time/gpu/mean", value);
    EXPECT_THAT(
        message_of(root.dump(), by_kernel_),
        HasSubstr(std::string("measured.json: it has a number that is none: '") + value + "'"));
  }
  json root = measurements();
  root["benchmarks"][0]["states"][0]["device"] = 1.5;
  EXPECT_THAT(message_of(root.dump(), by_kernel_),
              HasSubstr("measured.json: a state's device is 1.5, which is no integer"));
}

TEST_F(NvbenchTest, WhatIsNoTimeIsNamedWithItsPlace) {
  for (const auto& [value, shown] : {std::pair("nan", "nan"), std::pair("inf", "inf"),
                                     std::pair("-0.001", "-0.001"), std::pair("0", "0")}) {
    json root = measurements();
    root["benchmarks"][0]["states"][1]["summaries"][1] = summary("nv/batch/time/gpu/mean", value);
    EXPECT_THAT(message_of(root.dump(), by_kernel_),
                HasSubstr(std::string("state 'Kernel=fast/one Queries=100', mode warm: time 1 of 1 "
                                      "is ") +
                          shown + " s"));
  }
  json root = measurements();
  root["benchmarks"][0]["states"][0]["summaries"] = {
      {{"tag", "nv/json/bin:nv/cold/sample_times"},
       {"data", {{{"name", "filename"}, {"type", "string"}, {"value", "times.bin"}}}}}};
  const float samples[] = {0.25F, std::numeric_limits<float>::infinity(), 0.125F};
  const auto write = [&](std::streamsize bytes) {
    std::ofstream(directory_.path() / "times.bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(samples), bytes);
  };
  write(sizeof(samples));
  EXPECT_THAT(message_of(root.dump(), by_kernel_), HasSubstr("times.bin: time 2 of 3 is inf s"));
  write(sizeof(samples) - 1);
  EXPECT_THAT(message_of(root.dump(), by_kernel_), HasSubstr("times.bin is cut off"));
}

TEST_F(NvbenchTest, WhatItSkippedIsSkipped) {
  json root = measurements();
  json& first = root["benchmarks"][0]["states"][0];
  first["is_skipped"] = true;
  first["skip_reason"] = "too large";
  const ImportedRun run = import(root, by_kernel_);
  EXPECT_EQ(run.records[0].status, CellStatus::kSkipped);
  EXPECT_EQ(run.records[0].reason, "too large");
  EXPECT_EQ(run.records.size(), 7U);
}

TEST_F(NvbenchTest, MistakesAreNamed) {
  const std::string good = measurements().dump();
  EXPECT_THAT(message_of("{", {}), EndsWith("measured.json: not JSON: it is wrong from byte 2 on"));
  for (const char* odd : {"{}", "[1]", "5"}) {
    EXPECT_THAT(
        message_of(odd, {}),
        EndsWith("measured.json: not JSON as nvbench writes it: it lacks 'benchmarks' where "
                 "that belongs"));
  }
  EXPECT_THAT(message_of(R"({"benchmarks": [{"states": [{"device": "a"}]}]})", {}),
              EndsWith("measured.json: not JSON as nvbench writes it: a value is of another type"));
  EXPECT_THAT(message_of(good, {"Kernels", {}, {}}),
              HasSubstr("benchmark 'msda' has no axis 'Kernels'"));
  EXPECT_THAT(message_of(good, {"Kernel", "slow_on", {}}), HasSubstr("did you mean 'slow_one'?"));
  EXPECT_THAT(message_of(good, {"Kernel", {}, 3}),
              HasSubstr("no measurements of device 3; there are: 0"));
  json twice = measurements();
  twice["benchmarks"][0]["states"].push_back(state("slow one", "100", 1));
  EXPECT_THAT(message_of(twice.dump(), by_kernel_), HasSubstr("two states come to the cell"));
  json two_devices = measurements();
  two_devices["benchmarks"][0]["states"][1]["device"] = 1;
  EXPECT_THAT(message_of(two_devices.dump(), by_kernel_), HasSubstr("--device-id"));
  json no_number = measurements();
  no_number["benchmarks"][0]["states"][0]["summaries"][0]["data"][0]["value"] = "fast";
  EXPECT_THAT(message_of(no_number.dump(), by_kernel_), HasSubstr("a number that is none"));
}

TEST_F(NvbenchTest, TheCommandWritesARunThatReportsRead) {
  const auto file = directory_.write("measured.json", measurements().dump());
  const std::string output = (directory_.path() / "run").string();
  const std::vector<std::string> command = {"import", "nvbench",    file.string(),
                                            "--arm",  "Kernel",     "--output",
                                            output,   "--baseline", "slow_one"};
  const Outcome outcome = run(command);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("2.00?"));  // of one process: not sure
  EXPECT_THAT(run({"report", output}).out, HasSubstr("nothing verified their outputs"));
  const Outcome report = run({"report", output, "--format", "csv"});
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_EQ(run(command).exit_code, 2);  // there is a run already
}

}  // namespace
}  // namespace msda::test
