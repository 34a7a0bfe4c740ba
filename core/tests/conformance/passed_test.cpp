// What passed is not run again, and is run again after a change of anything that it depends on.
#include "conformance/passed.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "conformance/conformance.hpp"
#include "files/read.hpp"
#include "support/files.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

class PassedTest : public ::testing::Test {
 protected:
  bool passed_before(std::string_view check, const Composition& composition,
                     std::string_view words) const {
    return Passed(check, composition, words, program_).before();
  }

  TemporaryDirectory directory_;
  ScopedVariable cache_{"MSDA_CACHE_DIR", directory_.path().c_str()};
  ScopedVariable anew_{"MSDA_TEST_ANEW", nullptr};
  fs::path program_ = directory_.write("program", "a program");
  Composition loads_ = shipped_composition("vector-loads");
};

TEST_F(PassedTest, IsKnownOfWhatWasNotedAlone) {
  EXPECT_FALSE(passed_before("check", loads_, "simt:1"));
  Passed("check", loads_, "simt:1", program_).note();
  EXPECT_TRUE(passed_before("check", loads_, "simt:1"));
  EXPECT_FALSE(passed_before("another", loads_, "simt:1"));
}

TEST_F(PassedTest, IsAskedAnewAfterAChangeOfChoicesOrWords) {
  Passed("check", loads_, "simt:1", program_).note();
  const Use wide{"vector-loads", {{"threads", std::int64_t{512}}}};
  EXPECT_FALSE(passed_before("check", Composition(shipped_plugins(), {wide}), "simt:1"));
  EXPECT_FALSE(passed_before("check", shipped_composition("default"), "simt:1"));
  EXPECT_FALSE(passed_before("check", loads_, "simt:2"));
  EXPECT_TRUE(passed_before("check", loads_, "simt:1"));
}

TEST_F(PassedTest, IsAskedAnewAfterAChangeOfTheProgram) {
  Passed("check", loads_, "simt:1", program_).note();
  const fs::path changed = directory_.path() / "changed";
  write_text(changed, "a Program");
  fs::rename(changed, program_);
  // Of another process: what is hashed is hashed once.
  const fs::path same = directory_.path() / "." / "program";
  EXPECT_FALSE(Passed("check", loads_, "simt:1", same).before());
}

TEST_F(PassedTest, IsAskedAnewAfterAChangeOfAPlugin) {
  Passed("check", loads_, "simt:1", program_).note();
  const fs::path plugins = directory_.path() / "plugins";
  fs::create_directory(plugins);
  const fs::path copy = plugins / "vector-loads.so";
  fs::copy_file(loads_.parts().front().plugin->file, copy);
  const auto with_copy = [&] {
    const Registry registry({plugins});
    return passed_before("check", Composition(registry, {{"vector-loads", {}}}), "simt:1");
  };
  EXPECT_TRUE(with_copy());
  std::ofstream(copy, std::ios::app | std::ios::binary) << "edited";
  EXPECT_FALSE(with_copy());
}

TEST_F(PassedTest, IsNotKnownWhereItIsSpoiledOrNotWanted) {
  Passed("check", loads_, "simt:1", program_).note();
  const ScopedVariable wanted("MSDA_TEST_ANEW", "1");
  EXPECT_FALSE(passed_before("check", loads_, "simt:1"));
  ::unsetenv("MSDA_TEST_ANEW");
  for (const auto& file : fs::directory_iterator(directory_.path() / "passed"))
    write_text(file.path(), "spoiled");
  EXPECT_FALSE(passed_before("check", loads_, "simt:1"));
}

}  // namespace
}  // namespace msda
