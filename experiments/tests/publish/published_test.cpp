// docs/results and the documents that cite it: what is published is what its data says.
#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <msda/error.hpp>

#include "files/read.hpp"
#include "files/temporary_directory.hpp"
#include "render/formats.hpp"
#include "results/run_data.hpp"
#include "runner/publish/checkout.hpp"
#include "runner/publish/checks_page.hpp"
#include "runner/publish/quotes.hpp"

namespace msda::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const fs::path kSource = MSDA_SOURCE_DIR;
const fs::path kResults = kSource / "docs" / "results";

/// What exported packages measured, by the names of the pages.
std::map<std::string, nlohmann::json> of_exports() {
  std::map<std::string, nlohmann::json> pages;
  for (const auto& entry : fs::directory_iterator(kResults)) {
    if (entry.path().extension() != ".json") continue;
    pages[entry.path().stem()] = nlohmann::json::parse(read_text(entry.path()));
  }
  return pages;
}

/// Names of the files in docs/results that end so, without the end.
std::set<std::string> published(const std::string& end) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(kResults)) {
    const std::string name = entry.path().filename();
    if (name.ends_with(end)) names.insert(name.substr(0, name.size() - end.size()));
  }
  return names;
}

/// Ratios such as "1.33x" that say no place.
std::vector<std::string> ratios_without_place(const std::string& document) {
  static const std::regex kRatio(R"([0-9]+\.[0-9]+x(?!<!--=)(?![0-9a-z]))");
  std::string rest = document;
  for (std::size_t at = 0; (at = rest.find("<!--quote ")) != std::string::npos;) {
    rest.erase(at, rest.find("<!--end quote-->", at) - at);
  }
  return {std::sregex_token_iterator(rest.begin(), rest.end(), kRatio), {}};
}

TEST(Published, EachReportIsWhatItsArchiveSays) {
  const std::set<std::string> archives = published(kArchiveSuffix);
  EXPECT_FALSE(archives.empty());
  for (const std::string& name : archives) {
    const Report report = make_report(kResults / (name + kArchiveSuffix));
    EXPECT_EQ(read_text(kResults / (name + ".md")), to_page(report))
        << "msda publish docs/results/" << name << kArchiveSuffix;
    EXPECT_EQ(report.manifest.name, name);
  }
}

TEST(Published, EachPageOfExportsIsWhatItsDataSays) {
  for (const auto& [name, checks] : of_exports()) {
    EXPECT_EQ(read_text(kResults / (name + ".md")), checks_page(checks))
        << "msda publish docs/results/" << name << ".json";
    EXPECT_EQ(read_checks({kResults / (name + ".json")}), checks);
  }
}

TEST(Published, EachReportHasItsData) {
  std::set<std::string> reports = published(".md");
  reports.erase("README");
  std::set<std::string> data = published(kArchiveSuffix);
  data.merge(published(".json"));  // of pages that other programs measured for
  EXPECT_EQ(reports, data);
}

/// Old and new code are not mixed: the README names each page that is not of the commit of most.
TEST(Published, PagesOfAnotherCommitAreNamed) {
  std::map<std::string, std::set<std::string>> pages;  // by commit
  for (const std::string& name : published(kArchiveSuffix)) {
    const RunData run = read_run(kResults / (name + kArchiveSuffix));
    pages[commit_of(run.manifest.git_state)].insert(name);
  }
  for (const auto& [name, checks] : of_exports()) {
    pages[commit_of(checks["runs"][0]["commit"])].insert(name);
  }
  const auto most = std::ranges::max_element(
      pages, {}, [](const auto& of_commit) { return of_commit.second.size(); });
  std::string named;
  for (const auto& [commit, names] : pages) {
    if (commit == most->first) continue;
    for (const std::string& name : names) {
      named += fmt::format("Of another commit: [{0}]({0}.md), {1}\n", name, commit);
    }
  }
  std::string said;
  std::istringstream readme(read_text(kResults / "README.md"));
  for (std::string line; std::getline(readme, line);) {
    if (line.starts_with("Of another commit: ")) said += line + "\n";
  }
  EXPECT_EQ(said, named) << "most pages are of " << most->first;
}

TEST(Published, IsSmallEnoughToClone) {
  constexpr std::uintmax_t kMost = 3'000'000;
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kResults)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  EXPECT_LT(bytes, kMost);
}

TEST(Published, NoPageIsLongerThanAPersonReads) {
  std::set<std::string> pages = published(".md");
  pages.erase("README");
  for (const std::string& name : pages) {
    std::istringstream page(read_text(kResults / (name + ".md")));
    std::size_t lines = 0;
    for (std::string line; std::getline(page, line);) lines += line.starts_with("|") ? 1 : 0;
    EXPECT_LE(lines, 2 * kPageLines) << name;  // with the heads of tables
  }
}

TEST(Published, WhatDocumentsQuoteIsWhatTheDataSays) {
  std::size_t quotes = 0;
  for (const fs::path& document : quoting_documents(kSource)) {
    const std::string text = read_text(document);
    EXPECT_EQ(with_quotes(text, kResults), text) << document << ": msda publish renews it";
    quotes += quotes_in(text);
  }
  EXPECT_GT(quotes, 0U);
  EXPECT_THAT(ratios_without_place(read_text(kSource / "README.md")), IsEmpty());
}

/// A folder with an archive whose arm "vec" has half the baseline's time.
class QuotedNumbers : public testing::Test {
 protected:
  void SetUp() override {
    RunData run;
    run.manifest.schema = kManifestSchema;
    run.manifest.name = "x";
    for (const auto& [arm, seconds] : {std::pair("base", 2e-6), std::pair("vec", 1e-6)}) {
      Record record;
      record.cell = cell_name("p", arm, TimingMode::kWarm);
      record.problem = "p";
      record.arm = arm;
      record.composition = arm;
      record.baseline = run.records.empty();
      record.status = CellStatus::kOk;
      record.samples = {{0, 0, {seconds}, {}}, {0, 1, {seconds}, {}}};
      run.records.push_back(record);
    }
    write_archive(directory_.path() / "x.jsonl.zst", run);
  }
  std::string renewed(const std::string& text) const {
    return with_quotes(text, directory_.path());
  }
  std::string refusal(const std::string& text) const {
    try {
      return renewed(text) + " is taken";
    } catch (const Error& error) {
      return error.what();
    }
  }

  TemporaryDirectory directory_;
};

TEST_F(QuotedNumbers, AreRoundedToTheirDigitsAndUnit) {
  const std::string row = "<!--= x tables[problem=p,mode=warm].rows[arm=vec].";
  const std::string right = "2.00x" + row + "speedup-->, 1.0 us" + row + "median_seconds-->, 2" +
                            row + "speedup --> and **vec**" + row + "arm-->";
  EXPECT_EQ(renewed(right), right);
  EXPECT_EQ(renewed("so 2.01x" + row + "speedup--> is"), "so 2.00x" + row + "speedup--> is");
  EXPECT_EQ(renewed("**a**" + row + "arm-->"), "**vec**" + row + "arm-->");
}

TEST_F(QuotedNumbers, APlaceThatIsNoneIsRefused) {
  EXPECT_THAT(refusal("1<!--= x tables[problem=q].rows-->"), HasSubstr("fits none"));
  EXPECT_THAT(refusal("1<!--= x tables[mode=warm].rows[arm].y-->"), HasSubstr("fits none"));
  EXPECT_THAT(refusal("**a**<!--= x tables[mode=warm].rows[].arm-->"), HasSubstr("fits several"));
  EXPECT_THAT(refusal("1<!--= x tables[mode=warm].rows-->"), HasSubstr("no number"));
  EXPECT_THAT(refusal("**a**<!--= x tables[mode=warm].rows[arm=vec].speedup-->"),
              HasSubstr("no text"));
  EXPECT_THAT(refusal("1<!--= x nothing-->"), HasSubstr("there is no 'nothing'"));
  EXPECT_THAT(refusal("1<!--= y tables-->"), HasSubstr("y.jsonl.zst"));
}

TEST_F(QuotedNumbers, ABlockIsTheAnswerOrATable) {
  const std::string answer = renewed("a\n<!--quote x answer-->\nold\n<!--end quote-->\nb\n");
  EXPECT_THAT(answer, HasSubstr("a\n<!--quote x answer-->\n```text\nvec is the fastest"));
  EXPECT_THAT(answer, HasSubstr("```\n<!--end quote-->\nb\n"));
  const std::string table = renewed("<!--quote x p, warm-->\n<!--end quote-->");
  EXPECT_THAT(table, HasSubstr("<!--quote x p, warm-->\n| arm | "));
  EXPECT_THAT(table, HasSubstr("| vec | "));
  EXPECT_EQ(renewed(table), table);
  EXPECT_THAT(renewed("<!--quote x p, warm | vec none-->\n<!--end quote-->"),
              AllOf(HasSubstr("| arm | "), HasSubstr("\n| vec | "), Not(HasSubstr("| base | "))));
  EXPECT_THAT(refusal("<!--quote x q-->\n<!--end quote-->"), HasSubstr("no section 'q'"));
  EXPECT_THAT(refusal("<!--quote x answer-->\n"), HasSubstr("has no end"));
}

TEST_F(QuotedNumbers, ARatioWithoutAPlaceIsFound) {
  EXPECT_THAT(ratios_without_place("1.5x and 1.6x<!--= x y--> of 92x160"), ElementsAre("1.5x"));
  EXPECT_THAT(ratios_without_place("<!--quote x answer-->\n1.5x\n<!--end quote-->"), IsEmpty());
}

TEST_F(QuotedNumbers, LinesOfAProblemAreThoseOfEachOfItsModes) {
  RunData run = read_run(directory_.path() / "x.jsonl.zst");
  run.manifest.name = "y";
  for (const char* problem : {"p", "other"}) {
    Record record = run.records.front();
    record.problem = problem;
    record.cell = cell_name(problem, record.arm, TimingMode::kWarm);
    record.processes.emplace_back().power = PowerDraw{0.3, 500, {}};
    run.records.push_back(record);
  }
  run.records.erase(run.records.begin(), run.records.begin() + 2);
  write_archive(directory_.path() / "y.jsonl.zst", run);
  EXPECT_THAT(renewed("<!--quote y Energy | p-->\n<!--end quote-->"),
              AllOf(HasSubstr("\n| p, warm | 300"), Not(HasSubstr("| other, warm |"))));
}

}  // namespace
}  // namespace msda::test
