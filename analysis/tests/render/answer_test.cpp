// How many are meant where an answer or a warning names a few.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/words/words.hpp"
#include "support/synthetic.hpp"

namespace msda {
namespace {

using synthetic::baseline;
using synthetic::record;
using synthetic::scaled;
using synthetic::steady;

TEST(Answer, CountsThoseInFirstPlaceThatItDoesNotName) {
  const auto blocks = steady(1e-3, 5, 4);
  std::vector<Record> records;
  for (const char* problem : {"p", "q"}) {
    records.push_back(baseline("base", blocks));
    for (const char* arm : {"a", "b", "c", "d"}) {
      records.push_back(record(arm, scaled(blocks, 0.5, 0.001)));
    }
    for (auto own = records.end() - 5; own != records.end(); ++own) own->problem = problem;
  }
  EXPECT_THAT(answer(make_report(Manifest(), records)),
              testing::StartsWith("On 2 problems: a, b and 2 more are the fastest and "
                                  "indistinguishable everywhere"));
}

TEST(Warnings, CountTheCellsThatTheyDoNotName) {
  const nlohmann::json manifest{
      {"status", "complete"},
      {"plan", {{"cells", {"p/a/warm", "p/b/warm", "p/c/warm", "p/d/warm", "p/e/warm"}}}}};
  EXPECT_THAT(
      warnings_of(make_report(manifest, {})),
      testing::ElementsAre("5 of 5 cells of the plan have no record: p/a/warm, p/b/warm, 3 more."));
}

}  // namespace
}  // namespace msda
