// Folders for new variants.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compose/skeleton.hpp"
#include "files/read.hpp"
#include "support/support.hpp"

namespace msda::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// All text of the files below a folder.
std::string text_below(const std::filesystem::path& folder) {
  std::string text;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
    if (file.is_regular_file()) text += read_text(file);
  }
  return text;
}

TEST(CliNewVariant, WritesAFolderForEverySlotAndKernel) {
  const TemporaryDirectory directory;
  std::vector<std::vector<std::string>> kinds = {{"--kernel", "cpu"}, {"--kernel", "cuda"}};
  for (const Skeleton& skeleton : skeletons()) {
    if (skeleton.name == "whole") continue;
    const std::string op(operator_of(skeleton.name).name());
    for (const std::string& slot : skeleton.slot_names()) {
      kinds.push_back({"--slot", slot, "--operator", op});
    }
  }
  for (const std::vector<std::string>& kind : kinds) {
    const std::string name = "my-" + kind[1];
    const std::filesystem::path folder = directory.path() / name;
    std::vector<std::string> words = {"new-variant", name, "--output", folder, "--force"};
    words.insert(words.end(), kind.begin(), kind.end());
    const Outcome outcome = run(words);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("ctest --test-dir " + folder.string() + "/build"));
    const std::string text = text_below(folder);
    EXPECT_THAT(text, Not(HasSubstr("@")));
    EXPECT_THAT(text, HasSubstr("msda_add_variant(" + name + " SOURCES plugin.cpp"));
    const std::string op = kind.size() > 2 ? kind[3] : "forward";
    EXPECT_THAT(text, HasSubstr("msda_test_variant(" + name + " OPERATOR " + op + " DEVICE "));
    EXPECT_THAT(text, HasSubstr("MSDA_PLUGIN(My"));
  }
}

TEST(CliNewVariant, PrintsCommandsThatAShellTakes) {
  const TemporaryDirectory directory;
  const std::string folder = directory.path() / "my kernel";
  const Outcome outcome = run({"new-variant", "my-kernel", "--kernel", "cpu", "--output", folder});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("cmake -S '" + folder + "' -B '" + folder + "/build' "));
  EXPECT_THAT(outcome.out, HasSubstr("cmake --build '" + folder + "/build'\n"));
  EXPECT_THAT(outcome.out, HasSubstr("ctest --test-dir '" + folder + "/build' "));
}

TEST(CliNewVariant, GoesBesideTheOthersAtTheRootOfTheSources) {
  const TemporaryDirectory directory;
  const Outcome outcome = run_script(
      "mkdir variants && touch variants/CMakeLists.txt && \"$msda\" new-variant far-order --slot "
      "order",
      directory.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("./msda verify far-order --device simt:1:races"));
  const std::filesystem::path folder = directory.path() / "variants" / "far-order";
  EXPECT_EQ(read_text(folder / "CMakeLists.txt"),
            "msda_add_variant(far-order SOURCES plugin.cpp DEVICE order.cuh)\n");
  EXPECT_THAT(read_text(folder / "device" / "order.cuh"),
              HasSubstr("struct Order : StoredOrder<K, Parameters> {"));
}

TEST(CliNewVariant, OfAnotherOperatorIsVerifiedOnItsProblems) {
  const TemporaryDirectory directory;
  const Outcome outcome = run_script(
      "mkdir variants && touch variants/CMakeLists.txt && \"$msda\" new-variant far-sum --slot sum "
      "--operator backward",
      directory.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr("./msda verify far-sum --operator backward --device simt:1:races"));
  EXPECT_THAT(outcome.out, HasSubstr("./msda verify far-sum --operator backward --evidence"));
}

TEST(CliNewVariant, UsageErrors) {
  const TemporaryDirectory directory;
  const auto error = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "new-variant");
    words.insert(words.end(), {"--output", directory.path() / "x"});
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.err;
  };
  EXPECT_THAT(error({"mine"}), HasSubstr("give either --slot or --kernel"));
  EXPECT_THAT(error({"mine", "--slot", "ordr"}), HasSubstr("did you mean 'order'?"));
  EXPECT_THAT(error({"mine", "--slot", "kernel"}), HasSubstr("no slot 'kernel'"));
  EXPECT_THAT(error({"mine", "--kernel", "cud"}), HasSubstr("did you mean 'cuda'?"));
  EXPECT_THAT(error({"My_Order", "--slot", "order"}), HasSubstr("is no name for a variant"));
  EXPECT_THAT(error({"../mine", "--slot", "order"}), HasSubstr("is no name for a variant"));
  EXPECT_THAT(error({"fixture", "--slot", "order"}), HasSubstr("there is a variant 'fixture'"));
  EXPECT_THAT(error({"template", "--slot", "order"}), HasSubstr("'template' belongs to C++"));
  EXPECT_THAT(error({"const-cast", "--slot", "order"}), HasSubstr("belongs to C++"));
  EXPECT_THAT(error({"best", "--slot", "order"}), HasSubstr("there is a recipe 'best'"));
  for (const char* taken : {"all", "external", "levels", "none"}) {
    EXPECT_THAT(error({taken, "--slot", "order"}), HasSubstr("means something else")) << taken;
  }
  EXPECT_THAT(error({std::string(101, 'a'), "--slot", "order"}), HasSubstr("has 101 letters"));
  EXPECT_THAT(error({"mine", "--kernel", "cpu", "--operator", "backward"}),
              HasSubstr("--kernel writes kernels of the operator 'forward'"));
  directory.write("x", "a file");
  EXPECT_THAT(error({"mine", "--slot", "order"}), HasSubstr("is a file; give a directory"));
}

}  // namespace
}  // namespace msda::test
