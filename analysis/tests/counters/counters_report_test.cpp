// Counters in a run's report, with those that were recorded on a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/enumerate.hpp"
#include "files/temporary_directory.hpp"
#include "files/write.hpp"
#include "render/document.hpp"
#include "render/figures/figures.hpp"
#include "render/figures/values.hpp"
#include "render/formats.hpp"
#include "render/html/web.hpp"
#include "render/tables/tables.hpp"
#include "render/text/summary.hpp"
#include "support/counted.hpp"
#include "support/synthetic.hpp"

namespace msda {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

Design ablation_design() {
  Design design;
  design.kinds = {DesignKind::kFull};
  for (const char* name :
       {"mixed-precision", "shared-metadata", "smem-levels", "loop-unrolling", "prefetch-query"}) {
    design.factors.push_back({name, {"off", "on"}});
  }
  for (const Levels& levels : full_points(design.factors)) {
    design.points.push_back({arm_name(design.factors, levels), levels});
  }
  return design;
}

/// Every arm with a time of its own that is far from what the profiler saw.
Report ablation_report(const std::vector<KernelCounters>& kernels) {
  const Design design = ablation_design();
  std::vector<Record> records;
  nlohmann::json arms = nlohmann::json::array();
  for (const DesignPoint& point : design.points) {
    double seconds = 2e-3;
    for (const int level : point.levels) seconds *= level != 0 ? 0.9 : 1;
    Record record = synthetic::record(point.arm, synthetic::steady(seconds, 3, 4));
    record.problem = "ledger-48";
    record.baseline = point.arm == "base";
    records.push_back(std::move(record));
    arms.push_back({{"name", point.arm}});
  }
  return make_report({{"name", "ablation"}, {"arms", arms}, {"ablation", to_json(design)}}, records,
                     {}, kernels);
}

const Explained& named(const std::vector<Explained>& all, const std::string& name) {
  return *std::find_if(all.begin(), all.end(),
                       [&](const Explained& one) { return one.why.arm == name; });
}

TEST(CountersReport, ExplainsEveryArmAndEveryFactorOfARecordedAblation) {
  const Report report = ablation_report(counted::recorded_ablation());
  ASSERT_THAT(report.counters, SizeIs(1));
  const CounterTable& table = report.counters.front();
  EXPECT_EQ(table.device, "NVIDIA H200");
  EXPECT_THAT(table.launches, SizeIs(33));
  EXPECT_EQ(table.launches.front().arm(), "base");
  EXPECT_THAT(table.arms, SizeIs(32));
  ASSERT_THAT(table.factors, SizeIs(5));
  for (const Explained& factor : table.factors) EXPECT_EQ(factor.pairs, 16);
  // What each of them is for shows first.
  const Explained& metadata = named(table.factors, "shared-metadata");
  EXPECT_EQ(metadata.why.causes.front().name, "issue slots");
  const Explained& unrolling = named(table.factors, "loop-unrolling");
  EXPECT_EQ(unrolling.why.causes.front().kind, Load::Kind::kWaiting);
  EXPECT_GT(unrolling.why.ratio(), 1.5);
  EXPECT_EQ(named(table.arms, "all").why.bound, "LSU data pipe, 82% busy");
}

TEST(CountersReport, PartsExplainTheWholeDifference) {
  const Report report = ablation_report(counted::recorded_ablation());
  for (const auto* all : {&report.counters.front().arms, &report.counters.front().factors}) {
    for (const Explained& explained : *all) {
      double sum = 0;
      for (const Cause& cause : explained.why.causes) {
        if (cause.kind != Load::Kind::kResource) sum += cause.explains;
      }
      EXPECT_NEAR(sum, 1, 1e-6) << explained.why.arm;
    }
  }
}

TEST(CountersReport, ProfiledTimesNeverMixWithSamples) {
  const Report with = ablation_report(counted::recorded_ablation());
  const Report without = ablation_report({});
  ASSERT_EQ(with.tables.size(), without.tables.size());
  for (std::size_t i = 0; i < with.tables.front().rows.size(); ++i) {
    EXPECT_EQ(with.tables.front().rows[i].median_seconds,
              without.tables.front().rows[i].median_seconds);
  }
  EXPECT_EQ(to_csv(with), to_csv(without));
  EXPECT_EQ(to_samples_csv(with), to_samples_csv(without));
  // The ratio of the samples stands beside, and is not that of the profiled launches.
  const Explained& factor = named(with.counters.front().factors, "loop-unrolling");
  ASSERT_TRUE(factor.ratio);
  EXPECT_NEAR(*factor.ratio, 1 / 0.9, 1e-6);
  EXPECT_GT(factor.why.ratio(), 1.5);
}

TEST(CountersReport, EveryFormatHasThem) {
  const Report report = ablation_report(counted::recorded_ablation());
  for (const std::string& text :
       {to_terminal(report, false), to_markdown(report), to_html(report)}) {
    EXPECT_THAT(text, HasSubstr("Why the factors pay: ledger-48, warm"));
    EXPECT_THAT(text, HasSubstr("Why the arms differ: ledger-48, warm"));
    EXPECT_THAT(text, HasSubstr("Counters: ledger-48, warm"));
    EXPECT_THAT(text, HasSubstr("Bytes: ledger-48, warm"));
  }
  EXPECT_THAT(to_latex(report), HasSubstr("Counters: ledger-"));
  const auto json = nlohmann::json::parse(to_json(report));
  ASSERT_THAT(json.at("counters"), SizeIs(1));
  const nlohmann::json& table = json["counters"][0];
  EXPECT_THAT(table.at("arms"), SizeIs(33));
  EXPECT_EQ(table["arms"][0].at("arm"), "base");
  EXPECT_NEAR(table["arms"][0].at("profiled_seconds").get<double>(), 907e-6, 1e-6);
  EXPECT_THAT(table.at("factors"), SizeIs(5));
  EXPECT_THAT(table["factors"][0].at("words").get<std::string>(), HasSubstr("without it takes"));
}

TEST(CountersReport, SentencesAreBrokenInLatex) {
  const std::string latex = to_latex(ablation_report(counted::recorded_ablation()));
  const std::size_t why = latex.rfind("Why the factors pay: ledger-");
  ASSERT_NE(why, std::string::npos);
  const std::size_t types = latex.find("\\begin{tabularx}", why);
  ASSERT_NE(types, std::string::npos);
  EXPECT_THAT(latex.substr(types, latex.find('\n', types) - types), testing::EndsWith("X@{}}"));
}

TEST(CountersReport, ASummaryHasOneLineOfThem) {
  const std::string with = to_summary(ablation_report(counted::recorded_ablation()), false);
  EXPECT_THAT(with, HasSubstr("Counters at ledger-48, warm: base is bound by waiting for global "
                              "memory"));
  EXPECT_LE(std::count(with.begin(), with.end(), '\n'), static_cast<long>(kSummaryLines));
  EXPECT_THAT(to_summary(ablation_report({}), false), Not(HasSubstr("Counters")));
}

TEST(CountersReport, HasFiguresOfTimeBoundsAndSavings) {
  if (!has_vega()) GTEST_SKIP() << "built without libjs-vega";
  const Report report = ablation_report(counted::recorded_ablation());
  const auto figures = figures_of(sections_of(report));
  for (const char* kind : {"time-parts", "bounds", "savings"}) {
    EXPECT_TRUE(std::any_of(figures.begin(), figures.end(), [&](const Figure& figure) {
      return figure.id.ends_with(kind);
    })) << kind;
  }
  const nlohmann::json savings = saving_values(report.counters.front().factors);
  double sum = 0;
  for (const nlohmann::json& value : savings) {
    if (value.at("factor") != "smem-levels") continue;
    sum += value.at("to").get<double>() - value.at("from").get<double>();
  }
  const Why& why = named(report.counters.front().factors, "smem-levels").why;
  EXPECT_NEAR(sum, why.time_after - why.time_before, 1e-9);
}

TEST(CountersReport, SaysWhatTheToolDoesNotKnowHere) {
  KernelCounters kernel = counted::kernel("base", 500e-6, 90, 50);
  kernel.missing = {"dram__bytes.sum"};
  KernelCounters prepass = counted::kernel("base", 20e-6, 1, 1);
  prepass.part = "spatial-order";
  const auto tables = make_counter_tables({kernel, prepass}, {});
  const std::string text = as_terminal(counters_document(tables), false);
  EXPECT_THAT(text, HasSubstr("missing"));
  EXPECT_THAT(text, HasSubstr("base, spatial-order"));
  EXPECT_THAT(text, Not(HasSubstr("Why")));
}

TEST(CountersReport, OneTableSaysWhatBoundsTheFastestArmOfEachProblem) {
  std::vector<KernelCounters> kernels = counted::recorded_ablation();
  EXPECT_THAT(to_markdown(ablation_report(kernels)), Not(HasSubstr("## Limits")))
      << "of one problem the counters say it";
  for (const KernelCounters& kernel : counted::recorded_ablation()) {
    kernels.push_back(kernel);
    kernels.back().problem = "another";
  }
  const std::string text = as_markdown(in_brief(document_of(ablation_report(kernels))));
  // The samples say 2 ms x 0.9^5 of the arm that the profiler saw as the fastest.
  EXPECT_THAT(
      text, testing::ContainsRegex(
                R"(\| ledger-48, warm \| all \| 1181.0 \| [0-9. |]+ LSU data pipe, 82% busy \|)"));
  EXPECT_THAT(text, testing::ContainsRegex(R"(\| another, warm \| all \| - \| [0-9. |]+ LSU)"));
  EXPECT_THAT(text, Not(HasSubstr("## Counters")));
  EXPECT_THAT(text, Not(HasSubstr("## ledger-48, warm")));
  const std::string nothing = as_markdown(in_brief(document_of(ablation_report({}))));
  EXPECT_THAT(nothing, HasSubstr("There is no table of all problems."));
}

TEST(CountersReport, AnArmThatWasNotCountedIsLeftOut) {
  std::vector<KernelCounters> kernels = counted::recorded_ablation();
  std::erase_if(kernels, [](const KernelCounters& kernel) { return kernel.arm == "base"; });
  const Report report = ablation_report(kernels);
  EXPECT_THAT(report.counters.front().arms, IsEmpty());
  EXPECT_EQ(named(report.counters.front().factors, "smem-levels").pairs, 15);
}

TEST(CountersReport, AProfileWithoutARunHasReportsToo) {
  Report report;
  report.manifest.name = "profiled";
  CounterContext context;
  context.baseline = "base";
  report.counters = make_counter_tables(counted::recorded_ablation(), context);
  for (const std::string& text :
       {to_terminal(report, false), to_markdown(report), to_html(report)}) {
    EXPECT_THAT(text, HasSubstr("Counters: ledger-48, warm"));
    EXPECT_THAT(text, HasSubstr("Why the arms differ"));
  }
  EXPECT_THAT(to_latex(report), HasSubstr("Counters: ledger-"));
  EXPECT_THAT(nlohmann::json::parse(to_json(report)).at("counters"), SizeIs(1));
}

TEST(CountersReport, AreReadFromTheRunsDirectory) {
  const TemporaryDirectory directory;
  write_atomically(directory.path() / "manifest.json", R"({"name": "x"})");
  write_records(directory.path() / "records.jsonl",
                {synthetic::baseline("base", synthetic::steady(1e-3))});
  add_counters(directory.path(), {counted::kernel("base", 500e-6, 90, 50)});
  const Report report = make_report(directory.path());
  ASSERT_THAT(report.counters, SizeIs(1));
  EXPECT_EQ(report.counters.front().launches.front().arm(), "base");
}

TEST(CountersReport, ArmsStandInTheOrderOfTheExperiment) {
  CounterContext context;
  context.arms = {"b", "a"};
  const auto tables = make_counter_tables(
      {counted::kernel("a", 1e-3, 50, 50), counted::kernel("b", 1e-3, 50, 50)}, context);
  EXPECT_EQ(tables.at(0).launches.at(0).arm(), "b");
  EXPECT_EQ(tables.at(0).launches.at(1).arm(), "a");
}

TEST(CountersReport, EachLevelOfAFactorIsExplainedAgainstItsFirstOneAlone) {
  Design design;
  design.kinds = {DesignKind::kFull};
  design.factors = {{"threads", {"64", "128", "256"}, 2}};
  std::vector<KernelCounters> kernels;
  for (const Levels& levels : full_points(design.factors)) {
    design.points.push_back({arm_name(design.factors, levels), levels});
    kernels.push_back(
        counted::kernel(design.points.back().arm, 1e-3 / (1 + levels.front()), 50, 50));
  }
  CounterContext context;
  context.design = &design;
  const auto tables = make_counter_tables(kernels, context);
  ASSERT_THAT(tables.at(0).factors, SizeIs(2));
  for (const Explained& level : tables[0].factors) EXPECT_EQ(level.pairs, 1U);
  EXPECT_NEAR(tables[0].factors[1].why.time_before, 1e-3, 1e-12);
}

}  // namespace
}  // namespace msda
