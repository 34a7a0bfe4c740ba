// A key that says its default changes nothing.
#include <gtest/gtest.h>

#include <algorithm>

#include "runner/experiment/parse.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

/// What `msda plan` prints of a file with one more line in its problem, and one in `measure`.
std::string plan_with(const std::string& of_problem, const std::string& of_measure) {
  const TemporaryDirectory directory;
  const auto file =
      directory.write("study.yaml",
                      "device: cpu\narms: [fixture]\nproblems:\n"
                      "  - name: mine\n    queries: 6\n    levels: [[4, 4]]\n    " +
                          of_problem + "\nmeasure:\n  timeout: 10 s\n  " + of_measure + "\n");
  const Outcome outcome = run({"plan", file});
  EXPECT_EQ(outcome.exit_code, 0) << of_problem << of_measure << ": " << outcome.err;
  return outcome.out;
}

/// "key: default", of the keys whose default is a value and no sentence.
std::vector<std::string> lines_of(const Keys& keys, const std::vector<std::string>& sentences) {
  std::vector<std::string> lines;
  for (const Key& key : keys) {
    if (key.standard.empty() || std::ranges::count(sentences, key.name) > 0) continue;
    std::string standard = key.standard;
    std::erase(standard, '`');
    lines.push_back(key.name + ": " + standard);
  }
  return lines;
}

TEST(Defaults, OfAMeasurementChangeNoPlanWhereTheyAreWritten) {
  const std::string plan = plan_with("", "");
  const auto lines = lines_of(keys::measure(), {"most_processes", "timeout", "energy"});
  EXPECT_GE(lines.size(), 10U);
  for (const std::string& line : lines) EXPECT_EQ(plan_with("", line), plan) << line;
}

TEST(Defaults, OfAProblemChangeNoPlanWhereTheyAreWritten) {
  const std::string plan = plan_with("", "");
  const auto lines = lines_of(keys::one_problem(), {"name", "outputs", "references", "queries",
                                                    "levels", "num_levels", "types"});
  EXPECT_GE(lines.size(), 10U);
  for (const std::string& line : lines) EXPECT_EQ(plan_with(line, ""), plan) << line;
}

}  // namespace
}  // namespace msda::test
