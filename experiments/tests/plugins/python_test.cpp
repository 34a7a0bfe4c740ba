// Python callables as arms: they are verified and timed as other arms, and what they do wrong costs
// their own cell.
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files/read.hpp"
#include "results/record.hpp"
#include "runner/supervise/supervisor.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::HasSubstr;

constexpr const char* kPython = "/usr/bin/python3";  // with Debian's NumPy

struct Callable {
  const char* name;
  const char* options;
  DType type;
  CellStatus status;
  const char* reason;  ///< a part of it
};

void PrintTo(const Callable& callable, std::ostream* stream) { *stream << callable.name; }

Record record_of(const std::string& callable, const std::string& options, DType type,
                 const std::string& interpreter = kPython) {
  GroupRequest request;
  request.experiment = "python";
  request.problem = tiny_problem();
  request.problem.problem.types = Types::all(type);
  request.measure.blocks = 2;
  request.measure.samples = 10;
  const Use use{"external",
                {{"python", callable}, {"interpreter", interpreter}, {"options", options}}};
  request.arms = {{"python", {use}, "external"}};
  request.baseline = "python";
  Supervisor supervisor({program(), "cpu", {fixture_directory()}, false});
  Record only;
  supervisor.run(request, {"python"}, [&](const Record& record) { only = record; });
  return only;
}

class CallableTest : public testing::TestWithParam<Callable> {};

TEST_P(CallableTest, EndsWithItsVerdict) {
  const Callable& expected = GetParam();
  const Record record = record_of(std::string(MSDA_FIXTURE_SOURCES "/arms.py:") + expected.name,
                                  expected.options, expected.type);
  EXPECT_EQ(record.status, expected.status) << record.reason;
  EXPECT_THAT(record.reason, HasSubstr(expected.reason));
  EXPECT_EQ(record.samples.empty(), expected.status != CellStatus::kOk);
}

constexpr Callable kCallables[] = {
    {"forward", "", DType::kFloat32, CellStatus::kOk, ""},
    {"in_place", R"({"factor": 1})", DType::kFloat16, CellStatus::kOk, ""},
    {"of_logits", "", DType::kFloat32, CellStatus::kOk, ""},
    {"of_prepared", "", DType::kFloat32, CellStatus::kOk, ""},
    {"shifted", "", DType::kFloat32, CellStatus::kWrong, "relative L2 error"},
    {"remembers_outputs", "", DType::kFloat32, CellStatus::kWrong,
     "what was timed: after a launch the output of query"},
    {"remembers_values", "", DType::kFloat32, CellStatus::kWrong,
     "with the signs of all values changed in place: "},
    {"writes_nothing", "", DType::kFloat32, CellStatus::kWrong, "were not written"},
    {"only_fp16", "", DType::kFloat32, CellStatus::kSkipped, "it takes fp16 alone"},
    {"raises", "", DType::kFloat32, CellStatus::kFailed,
     "Python callable arms.py:raises: ValueError: as it was told"},
    {"returns_two", "", DType::kFloat32, CellStatus::kFailed, "returned 2 tensors"},
    {"returns_another_shape", "", DType::kFloat32, CellStatus::kFailed,
     "returned the shape (0, 26, 2, 8), the output has (1, 5, 2, 8)"},
    {"wants_a_mask", "", DType::kFloat32, CellStatus::kFailed, "has the parameter 'mask'"},
    {"absent", "", DType::kFloat32, CellStatus::kFailed, "no attribute 'absent'"},
    {"in_place", "factor", DType::kFloat32, CellStatus::kFailed, "JSONDecodeError"},
};

INSTANTIATE_TEST_SUITE_P(OnTheCpu, CallableTest, testing::ValuesIn(kCallables),
                         [](const auto& info) {
                           return std::string(info.param.name) + std::to_string(info.index);
                         });

TEST(Python, AModuleThatIsNotInstalledIsSkipped) {
  const Record record = record_of("/nowhere/nobodys_package.ops:forward", "", DType::kFloat32);
  EXPECT_EQ(record.status, CellStatus::kSkipped);
  EXPECT_THAT(record.reason, HasSubstr("there is no Python module nobodys_package"));
}

TEST(Python, AFileThatIsNotThereIsSkipped) {
  const Record record = record_of("/nowhere/arms.py:forward", "", DType::kFloat32);
  EXPECT_EQ(record.status, CellStatus::kSkipped);
  EXPECT_EQ(record.reason, "there is no file /nowhere/arms.py");
}

TEST(Python, AnInterpreterThatIsNotThereIsSkipped) {
  const Record record = record_of("arms.py:forward", "", DType::kFloat32, "python-of-nobody");
  EXPECT_EQ(record.status, CellStatus::kSkipped);
  EXPECT_EQ(record.reason, "there is no Python interpreter python-of-nobody");
}

TEST(Python, ANameWithoutAFunctionFails) {
  const Record record = record_of("arms.py", "", DType::kFloat32);
  EXPECT_EQ(record.status, CellStatus::kFailed);
  EXPECT_THAT(record.reason, HasSubstr("is no FILE.py:FUNCTION"));
}

TEST(Python, AFileBesideTheExperimentIsFoundAndKnownByItsHash) {
  const TemporaryDirectory directory;
  directory.write("arms.py", read_text(MSDA_FIXTURE_SOURCES "/arms.py"));
  const auto file = directory.write(
      "mine.yaml",
      "problems: [{name: tiny, batch: 1, queries: 5, heads: 2, channels: 8, points: 2, levels: "
      "[[4, 5], [2, 3]]}]\n"
      "device: cpu\n"
      "measure: {blocks: 2, samples: 1, processes: 1}\n"
      "arms: [{name: mine, external: {python: 'arms.py:forward', interpreter: "
      "/usr/bin/python3}}]\n");
  const std::string results = (directory.path() / "results").string();
  const Outcome outcome = run({"run", file.string(), "--output", results});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string manifest = read_text(results + "/manifest.json");
  EXPECT_THAT(manifest, testing::ContainsRegex(R"("file": "arms\.py",\s*"hash": "[0-9a-f]{32}")"));
}

}  // namespace
}  // namespace msda::test
