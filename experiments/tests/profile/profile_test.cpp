// Reading what profilers print, and calling them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <msda/error.hpp>

#include "files/temporary_directory.hpp"
#include "runner/profile/csv.hpp"
#include "runner/profile/profile_run.hpp"
#include "runner/profile/profiler.hpp"

namespace msda::profile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::string recorded(const char* name) {
  std::ifstream stream(std::filesystem::path(MSDA_SOURCE_DIR) / "experiments/tests/profile" / name);
  EXPECT_TRUE(stream) << name;
  return {std::istreambuf_iterator<char>(stream), {}};
}

const KernelCounters& kernel_of(const Imported& imported, const std::string& arm,
                                const std::string& part) {
  for (const KernelCounters& kernel : imported.kernels) {
    if (kernel.arm == arm && kernel.part == part) return kernel;
  }
  throw Error("no kernel of " + arm + ", " + part);
}

TEST(Csv, TakesQuotesSeparatorsAndLineEndsInsideACell) {
  const CsvTable table =
      parse_csv("==PROF== hello\n\"ID\",\"a\"\n\"0\",\"x, \"\"y\"\"\nz\"\n", "ID");
  EXPECT_THAT(table.header, ElementsAre("ID", "a"));
  ASSERT_THAT(table.rows, SizeIs(1));
  EXPECT_THAT(table.rows[0], ElementsAre("0", "x, \"y\"\nz"));
  EXPECT_FALSE(table.truncated);
}

TEST(Csv, SaysThatATextEndedInsideARow) {
  EXPECT_TRUE(parse_csv("\"ID\",\"a\"\n\"0\",\"x\"\n\"1\",\"y", "ID").truncated);
  const CsvTable shorter = parse_csv("\"ID\",\"a\"\n\"0\",\"x\"\n\"1\"\n", "ID");
  EXPECT_TRUE(shorter.truncated);
  EXPECT_THAT(shorter.rows, SizeIs(1));
}

TEST(Csv, HasNoHeaderWhereThereIsNoTable) {
  EXPECT_TRUE(parse_csv("==ERROR== nothing\n", "ID").header.empty());
  EXPECT_TRUE(parse_csv("", "ID").header.empty());
}

TEST(Numbers, AreReadAsEveryLanguageWritesThem) {
  EXPECT_EQ(parse_number("1,234.5", NumberStyle::kPointFraction), 1234.5);
  EXPECT_EQ(parse_number("1.234,5", NumberStyle::kCommaFraction), 1234.5);
  EXPECT_EQ(parse_number("12", NumberStyle::kCommaFraction), 12);
  EXPECT_EQ(parse_number("", NumberStyle::kPointFraction), std::nullopt);
  EXPECT_EQ(parse_number("(256, 1, 1)", NumberStyle::kPointFraction), std::nullopt);
}

TEST(Numbers, HaveTheStyleThatTheWholeTableFits) {
  EXPECT_EQ(number_style(parse_csv("ID,a\n0,\"1,234.56\"\n", "ID")), NumberStyle::kPointFraction);
  EXPECT_EQ(number_style(parse_csv("ID,a\n0,\"1.234,56\"\n", "ID")), NumberStyle::kCommaFraction);
  EXPECT_EQ(number_style(parse_csv("ID,a\n0,\"5,25\"\n", "ID")), NumberStyle::kCommaFraction);
  EXPECT_EQ(number_style(parse_csv("ID,a\n0,\"1.234\"\n", "ID")), NumberStyle::kPointFraction);
}

TEST(Ncu, CountersOfARecordedReportBelongToTheirCellsAndParts) {
  const Imported imported = parse_ncu(recorded("ncu-2025.3-raw.csv"));
  EXPECT_FALSE(imported.truncated);
  const KernelCounters& fastest = kernel_of(imported, "fastest", "kernel");
  EXPECT_EQ(fastest.problem, "ddetr-encoder");
  EXPECT_EQ(fastest.mode, "warm");
  EXPECT_EQ(fastest.device, "NVIDIA H200");
  EXPECT_NEAR(fastest.values.at("gpu__time_duration.sum"), 90e-6, 5e-6);
  EXPECT_GT(fastest.values.at("smsp__inst_executed.sum"), 30e6);
  const KernelCounters& prepass = kernel_of(imported, "spatial", "spatial-order");
  EXPECT_GT(prepass.values.at("gpu__time_duration.sum"), 1e-3);
}

TEST(Ncu, ATruncatedReportKeepsItsWholeRows) {
  const std::string whole = recorded("ncu-2025.3-raw.csv");
  const Imported cut = parse_ncu(std::string_view(whole).substr(0, whole.size() - 40));
  EXPECT_TRUE(cut.truncated);
  EXPECT_EQ(cut.kernels.size() + 1, parse_ncu(whole).kernels.size());
}

TEST(Ncu, ColumnsAreFoundByNameInAnyOrderAndWithOtherNumbers) {
  const Imported imported = parse_ncu(
      "\"ID\",\"dram__bytes.sum\",\"new__column\",\"thread Push/Pop_Range\",\"Kernel Name\","
      "\"gpu__time_duration.sum\"\n"
      "\"\",\"byte\",\"\",\"\",\"\",\"ns\"\n"
      "\"0\",\"1.234,50\",\"\",\"msda:cell p/a/b/cold: msda:profiled: msda:part kernel:\",\"k\","
      "\"2.500\"\n");
  ASSERT_THAT(imported.kernels, SizeIs(1));
  const KernelCounters& kernel = imported.kernels.front();
  EXPECT_EQ(kernel.arm, "a/b");
  EXPECT_EQ(kernel.mode, "cold");
  EXPECT_EQ(kernel.find("dram__bytes.sum"), 1234.5);
  EXPECT_DOUBLE_EQ(*kernel.find("gpu__time_duration.sum"), 2500e-9);
  EXPECT_EQ(kernel.find("new__column"), std::nullopt);
}

TEST(Ncu, KernelsOutsideTheProfiledRangeArePassedOver) {
  const Imported imported = parse_ncu(
      "\"ID\",\"Push/Pop\",\"Kernel Name\",\"a__b.sum\"\n"
      "\"0\",\"msda:cell p/a/warm: msda:phase verify:\",\"k\",\"1\"\n");
  EXPECT_THAT(imported.kernels, SizeIs(0));
}

TEST(Ncu, SaysWhatTheToolSaidWhereThereIsNoTable) {
  EXPECT_THAT([] { parse_ncu("==ERROR== The file is broken."); },
              testing::ThrowsMessage<EnvironmentError>(HasSubstr("The file is broken")));
}

TEST(Nsys, TimesBelongToTheRangeThatTheyRanIn) {
  const Imported imported = parse_nsys(
      "NVTX Range,Style,PID,TID,NVTX Inst,Kern Inst,Total Time (ns),Avg (ns),Med (ns),Min (ns),"
      "Max (ns),StdDev (ns),Kernel Name\n"
      "msda:experiment p/cell q/fastest/warm/phase profile/profiled/part kernel,PushPop,1,1,1,1,"
      "90000,90000.0,90000.0,90000,90000,0.0,void kernel\n"
      "msda:experiment p,PushPop,1,1,1,9,900000,90000.0,90000.0,1,2,0.0,void kernel\n");
  ASSERT_THAT(imported.kernels, SizeIs(1));
  EXPECT_EQ(imported.kernels.front().arm, "fastest");
  EXPECT_DOUBLE_EQ(*imported.kernels.front().find("gpu__time_duration.sum"), 90e-6);
}

TEST(Metrics, ThatTheToolDoesNotListAreMissing) {
  const std::set<std::string> known = parse_known_metrics(
      "Device NVIDIA H200 (GH100)\n------- ---\ndram__bytes     Counter  byte  # of bytes\n\n"
      "Device NVIDIA A100 (GA100)\nlts__t_bytes    Counter  byte\n");
  EXPECT_THAT(unknown_metrics({"dram__bytes.sum", "lts__t_bytes.sum", "x__y.sum",
                               "launch__registers_per_thread"},
                              known),
              ElementsAre("x__y.sum"));
}

TEST(Settings, OfTheCommandLineTakeThePlaceOfTheExperiments) {
  Experiment experiment;
  EXPECT_EQ(settings_for(experiment, {}).metrics, default_metrics());
  experiment.profile = {{"SourceCounters"}, {"dram__bytes.sum"}};
  EXPECT_THAT(settings_for(experiment, {}).metrics, ElementsAre("dram__bytes.sum"));
  EXPECT_THAT(settings_for(experiment, {}).sections, ElementsAre("SourceCounters"));
  const ProfileSettings asked = settings_for(experiment, {{}, {"lts__t_bytes.sum"}});
  EXPECT_THAT(asked.metrics, ElementsAre("lts__t_bytes.sum"));
  EXPECT_THAT(asked.sections, ElementsAre("SourceCounters"));
}

TEST(Settings, CountWhatClaimsAreAbout) {
  Experiment experiment;
  experiment.profile.metrics = {"dram__bytes.sum"};
  for (const char* metric : {"dram__bytes.sum", "lts__t_bytes.sum", ""}) {
    experiment.claims.emplace_back().metric = metric;
  }
  EXPECT_THAT(settings_for(experiment, {}).metrics,
              ElementsAre("dram__bytes.sum", "lts__t_bytes.sum"));
}

TEST(Tools, AreKnownByTheVersionThatTheyPrint) {
  EXPECT_EQ(parse_version(Tool::kNcu,
                          "NVIDIA (R) Nsight Compute Command Line Profiler\n"
                          "Version 2025.3.1.0 (build 36398880) (public-release)\n"),
            "ncu 2025.3.1");
  EXPECT_EQ(parse_version(Tool::kNsys, "NVIDIA Nsight Systems version 2026.1.1.204-1\n"),
            "nsys 2026.1.1");
  EXPECT_EQ(parse_version(Tool::kNcu, "command not found"), "");
}

TEST(Tools, SayWhatToDoAboutWhatTheyReport) {
  EXPECT_THAT(remedy(Tool::kNcu, "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission"),
              HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_THAT(remedy(Tool::kNcu, "==ERROR== Driver resource was unavailable."), HasSubstr("DCGM"));
  EXPECT_THAT(remedy(Tool::kNcu, "==WARNING== No kernels were profiled."), HasSubstr("NVTX"));
  EXPECT_THAT(remedy(Tool::kNsys, "Importer error status: not found"), HasSubstr(".qdstrm"));
  EXPECT_EQ(remedy(Tool::kNcu, "all is well"), "");
}

TEST(Tools, ColdCellsAreFlushedAndWarmOnesLeftAlone) {
  const Installed tool{"ncu", "ncu 2025.3.1"};
  const ProfileSettings settings{{}, {"dram__bytes.sum"}};
  EXPECT_THAT(launcher(Tool::kNcu, tool, settings, true, "r", "l"), testing::Contains("all"));
  EXPECT_THAT(launcher(Tool::kNcu, tool, settings, false, "r", "l"),
              testing::Not(testing::Contains("all")));
}

Plan two_cells() {
  Plan plan;
  plan.problems.emplace_back().problem.name = "p";
  plan.arms = {{"plain", {}, ""}, {"fast", {}, ""}};
  plan.measure.modes = {TimingMode::kCold, TimingMode::kWarm, TimingMode::kGraph};
  for (const TimingMode mode : plan.measure.modes) plan.groups.push_back({0, mode});
  return plan;
}

TEST(Cells, AreThoseOfWarmLaunchesUnlessNamed) {
  const auto chosen = choose_cells(two_cells(), {});
  ASSERT_THAT(chosen, SizeIs(1));
  EXPECT_EQ(chosen.front().group.mode, TimingMode::kWarm);
  EXPECT_THAT(chosen.front().arms, SizeIs(2));
  const auto named = choose_cells(two_cells(), {"p/fast/cold"});
  ASSERT_THAT(named, SizeIs(1));
  EXPECT_EQ(named.front().group.mode, TimingMode::kCold);
  EXPECT_EQ(named.front().arms.front().name, "fast");
}

TEST(Cells, OfGraphsAreCountedAsWarmLaunches) {
  Plan plan = two_cells();
  plan.measure.modes = {TimingMode::kGraph};
  plan.groups = {{0, TimingMode::kGraph}};
  const auto chosen = choose_cells(plan, {});
  ASSERT_THAT(chosen, SizeIs(1));
  EXPECT_EQ(chosen.front().group.mode, TimingMode::kWarm);
}

TEST(Cells, OfTheBestAreItsWinnersInTheModeThatWasTimed) {
  Plan plan = two_cells();
  plan.measure.modes = {TimingMode::kCold, TimingMode::kGraph};
  plan.groups = {{0, TimingMode::kCold}, {0, TimingMode::kGraph}};
  plan.arms[1].best = BestRequest();
  for (const auto& [group, winner] :
       {std::pair(plan.groups[0], "flushed"), {plan.groups[1], "replayed"}}) {
    plan.best.push_back(
        {"fast", 0, group.mode, {"fast", {{winner, {}}}, winner}, "exactly this shape"});
  }
  const auto graph = choose_cells(plan, {});
  ASSERT_THAT(graph, SizeIs(1));
  EXPECT_EQ(graph.front().arms.at(1).composition, "replayed");
  const auto cold = choose_cells(plan, {"p/fast/cold"});
  ASSERT_THAT(cold, SizeIs(1));
  EXPECT_EQ(cold.front().arms.at(0).composition, "flushed");
}

TEST(Cells, ThatAreNotThereAreAnErrorThatListsThoseThatAre) {
  EXPECT_THAT([] { choose_cells(two_cells(), {"p/slow/*"}); },
              testing::ThrowsMessage<UsageError>(HasSubstr("p/fast/warm")));
}

TEST(Tools, AreTakenFromTheOldestVersionOnWhoseOptionsAreTheseOnes) {
  const TemporaryDirectory directory;
  const std::string before = std::getenv("PATH");
  ::setenv("PATH", (directory.path().string() + ":" + before).c_str(), 1);
  const auto find = [&](const char* version) {
    const auto tool = directory.path() / "ncu";
    std::ofstream(tool) << "#!/bin/sh\necho Version " << version << "\n";
    std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
    return find_tool(Tool::kNcu).version;
  };
  EXPECT_EQ(find("2022.1.0"), "ncu 2022.1.0");
  EXPECT_THAT([&] { find("2021.3.1"); },
              testing::ThrowsMessage<EnvironmentError>(HasSubstr("2022.1 or newer is needed")));
  ::setenv("PATH", before.c_str(), 1);
}

TEST(Ncu, TimesOfEveryUnitAreSeconds) {
  for (const auto& [unit, seconds] :
       {std::pair("ns", 2e-9), std::pair("nsecond", 2e-9), std::pair("us", 2e-6),
        std::pair("usecond", 2e-6), std::pair("ms", 2e-3), std::pair("msecond", 2e-3)}) {
    const Imported imported = parse_ncu(
        "\"ID\",\"Push/Pop\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"\",\"\",\"\",\"" +
        std::string(unit) +
        "\"\n\"0\",\"msda:cell p/a/warm: msda:profiled: msda:part kernel:\",\"k\",\"2\"\n");
    ASSERT_THAT(imported.kernels, SizeIs(1));
    EXPECT_DOUBLE_EQ(*imported.kernels.front().find("gpu__time_duration.sum"), seconds) << unit;
  }
}

TEST(Ncu, OfSeveralLaunchesOfOnePartTheFirstCounts) {
  const std::string cells = "\"msda:cell p/a/warm: msda:profiled: msda:part kernel:\",\"k\",";
  const Imported imported = parse_ncu("\"ID\",\"Push/Pop\",\"Kernel Name\",\"a__b.sum\"\n\"0\"," +
                                      cells + "\"1\"\n\"1\"," + cells + "\"2\"\n");
  ASSERT_THAT(imported.kernels, SizeIs(1));
  EXPECT_EQ(imported.kernels.front().find("a__b.sum"), 1);
}

}  // namespace
}  // namespace msda::profile
