#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files/temporary_directory.hpp"
#include "plugin/library.hpp"
#include "plugin/registry.hpp"
#include "plugin/rehearsal.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

const Registry& fixtures() {
  static const Registry registry({MSDA_FIXTURE_DIR});
  return registry;
}

/// The plugin of a fixture's file, which has to be there.
const Plugin& fixture(const std::string& stem) {
  for (const Plugin& plugin : fixtures().plugins()) {
    if (plugin.file.stem() == stem) return plugin;
  }
  throw Error("no fixture " + stem);
}

/// The error of a broken fixture: it names the file, and nothing of the plugin can be used.
std::string error_of(const std::string& stem) {
  const Plugin& plugin = fixture(stem);
  EXPECT_THAT(plugin.error, StartsWith("plugin " MSDA_FIXTURE_DIR "/" + stem + ".so: "));
  EXPECT_EQ(plugin.variant, nullptr);
  EXPECT_THAT(plugin.sources, IsEmpty());
  return plugin.error;
}

/// Sets MSDA_PLUGIN_PATH for a scope.
class PluginPath {
 public:
  explicit PluginPath(const std::string& value) { setenv("MSDA_PLUGIN_PATH", value.c_str(), 1); }
  PluginPath(const PluginPath&) = delete;
  PluginPath& operator=(const PluginPath&) = delete;
  ~PluginPath() { unsetenv("MSDA_PLUGIN_PATH"); }
};

TEST(Registry, LoadsASoundPluginAmongBrokenOnes) {
  const Plugin& plugin = fixture("sound");
  EXPECT_EQ(plugin.error, "");
  EXPECT_EQ(plugin.name, "sound");
  EXPECT_EQ(plugin.version, "1.2.3");
  EXPECT_EQ(plugin.build_type, "Debug");
  EXPECT_FALSE(plugin.optimized);
  ASSERT_NE(plugin.variant, nullptr);
  EXPECT_EQ(plugin.variant->info().summary, "does nothing");
  ASSERT_THAT(plugin.sources, SizeIs(1));
  EXPECT_STREQ(plugin.sources[0].path, "sound/a.cuh");
  EXPECT_THAT(plugin.hash, SizeIs(32));
  EXPECT_NE(dynamic_cast<const Optimization*>(plugin.variant.get()), nullptr);
}

TEST(Registry, RefusesAnotherAbi) {
  EXPECT_THAT(
      error_of("wrong-abi"),
      AllOf(HasSubstr(fmt::format("built for plugin ABI {}", kPluginAbi + 1)),
            HasSubstr(fmt::format("this program has ABI {}", kPluginAbi)), HasSubstr("rebuild")));
}

TEST(Registry, RefusesAManifestThatIsTooSmall) {
  EXPECT_THAT(
      error_of("wrong-size"),
      AllOf(HasSubstr("its manifest has 64 bytes, that of this ABI has 72"), HasSubstr("rebuild")));
}

TEST(Registry, RefusesOtherLayouts) {
  EXPECT_THAT(error_of("wrong-layouts"),
              AllOf(HasSubstr("other sizes of what crosses the boundary"), HasSubstr("rebuild")));
}

TEST(Registry, AMemberMoreMakesOtherLayouts) {
  struct Longer : Arithmetic {
    Rounding one_more;
  };
  EXPECT_NE((number_of_sizes<Problem, Arithmetic>()), (number_of_sizes<Problem, Longer>()));
  EXPECT_NE((number_of_sizes<Problem, Arithmetic>()), (number_of_sizes<Arithmetic, Problem>()));
}

TEST(Registry, RefusesAnotherToolchain) {
  EXPECT_THAT(error_of("wrong-toolchain"), AllOf(HasSubstr("'other-compiler-abi1'"),
                                                 HasSubstr(kToolchain), HasSubstr("rebuild")));
}

TEST(Registry, RefusesWhatIsNoManifest) {
  EXPECT_THAT(error_of("wrong-magic"), AllOf(HasSubstr("0x12345678"), HasSubstr("MSDA_PLUGIN")));
}

TEST(Registry, RefusesALibraryWithoutManifest) {
  EXPECT_THAT(error_of("no-symbol"),
              AllOf(HasSubstr("no symbol msda_plugin_manifest"), HasSubstr("MSDA_PLUGIN")));
}

TEST(Registry, RefusesAFileThatIsNoLibrary) {
  EXPECT_THAT(error_of("not-a-library"), HasSubstr("not a loadable shared library"));
}

TEST(Registry, RefusesAnUnresolvedSymbol) {
  EXPECT_THAT(error_of("unresolved"), HasSubstr("msda_test_function_that_is_nowhere"));
}

TEST(Registry, RefusesAThrowingFactory) {
  EXPECT_THAT(error_of("throwing"), HasSubstr("its factory threw: no tea on this machine"));
  EXPECT_THAT(error_of("throwing-oddly"), HasSubstr("its factory threw something"));
}

TEST(Registry, SurvivesAFactoryThatEndsTheProcess) {
  EXPECT_THAT(error_of("exiting"), HasSubstr("it ended the process with exit code 7"));
  EXPECT_THAT(error_of("aborting"),
              HasSubstr("it ended the process with signal SIGABRT (Aborted)"));
}

TEST(Registry, RefusesAFactoryWithoutResult) {
  EXPECT_THAT(error_of("null-variant"), HasSubstr("its factory returned null"));
  EXPECT_THAT(error_of("no-factory"), HasSubstr("its manifest has no factory"));
}

TEST(Registry, RefusesTwoNamesInOnePlugin) {
  EXPECT_THAT(error_of("name-mismatch"),
              HasSubstr("its manifest is named 'another-name' but its variant 'name-mismatch'"));
}

TEST(Registry, RefusesANameThatIsNone) {
  EXPECT_THAT(error_of("illegal-name"), HasSubstr("'../Illegal'"));
}

TEST(Registry, RefusesDefaultsThatBreakTheirOwnRules) {
  EXPECT_THAT(error_of("bad-default"),
              AllOf(HasSubstr("parameter 'width'"), HasSubstr("64 is out of range")));
}

TEST(Registry, RefusesSourcesThatDoNotAddUp) {
  EXPECT_THAT(error_of("fewer-sources"),
              HasSubstr("announces 3 embedded sources, the list has fewer"));
}

TEST(Registry, RefusesSourcesOutsideTheirFolder) {
  EXPECT_THAT(error_of("climbing-source"), HasSubstr("'../../outside.cuh'"));
  EXPECT_THAT(error_of("absolute-source"), HasSubstr("'/etc/outside.cuh'"));
}

TEST(Registry, KeepsTheFirstOfTwoWithOneName) {
  EXPECT_EQ(fixture("twin-first").error, "");
  EXPECT_THAT(error_of("twin-second"),
              AllOf(HasSubstr("the name 'twin' is taken by " MSDA_FIXTURE_DIR "/twin-first.so"),
                    HasSubstr("rename or remove")));
  EXPECT_EQ(fixtures().find("twin").file.stem(), "twin-first");
}

TEST(Registry, PrefersTheFirstDirectory) {
  const TemporaryDirectory override_directory;
  fs::copy_file(MSDA_FIXTURE_DIR "/sound.so", override_directory.path() / "mine.so");
  const Registry registry({override_directory.path(), MSDA_FIXTURE_DIR});
  EXPECT_EQ(registry.find("sound").file.stem(), "mine");
}

TEST(Registry, SeesADirectoryNamedTwiceOnce) {
  const Registry registry({MSDA_FIXTURE_DIR, MSDA_FIXTURE_DIR "/../fixtures/"});
  EXPECT_EQ(registry.plugins().size(), fixtures().plugins().size());
}

TEST(Registry, SortsByFileAndIgnoresOtherFiles) {
  std::vector<fs::path> files;
  for (const Plugin& plugin : fixtures().plugins()) files.push_back(plugin.file);
  EXPECT_TRUE(std::is_sorted(files.begin(), files.end()));
  EXPECT_THAT(files, testing::Each(testing::Property(&fs::path::extension, fs::path(".so"))));
}

TEST(Registry, SkipsADirectoryThatDoesNotExist) {
  EXPECT_THAT(Registry({"/no/such/directory"}).plugins(), IsEmpty());
}

TEST(RegistryFind, SuggestsTheNearestName) {
  try {
    static_cast<void>(fixtures().find("soun"));
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), StartsWith("no variant 'soun' (did you mean 'sound'?)"));
  }
}

TEST(RegistryFind, SaysWhyABrokenPluginCannotBeUsed) {
  try {
    static_cast<void>(fixtures().find("wrong-abi"));
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("wrong-abi.so"), HasSubstr("built for plugin ABI")));
  }
}

TEST(DefaultDirectories, AreCommandLineThenEnvironmentThenProgram) {
  const TemporaryDirectory given;
  const PluginPath path(":/first:/second:");
  const auto directories = Registry::default_directories({given.path()});
  ASSERT_THAT(directories, SizeIs(4));
  EXPECT_EQ(directories[0], given.path());
  EXPECT_EQ(directories[1], "/first");
  EXPECT_EQ(directories[2], "/second");
  EXPECT_EQ(directories[3], MSDA_BINARY_DIR "/lib/msda/variants");
}

TEST(DefaultDirectories, RefuseACommandLineDirectoryThatDoesNotExist) {
  EXPECT_THROW(Registry::default_directories({"/no/such/directory"}), UsageError);
}

TEST(HashFile, IsXxh3OfTheContent) {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "file";
  std::ofstream(file).close();
  EXPECT_EQ(hash_file(file),
            "99aa06d3014798d86001c324468d497f");  // the algorithm's value for nothing
  std::ofstream(file) << std::string(200'000, 'x');
  const std::string before = hash_file(file);
  std::ofstream(file) << std::string(199'999, 'x') << 'y';
  EXPECT_NE(hash_file(file), before);
  EXPECT_THROW(hash_file(directory.path() / "missing"), UsageError);
}

TEST(Rehearsal, TellsOneThatWaitsForEver) {
  const fs::path silent = fs::path(MSDA_FIXTURE_DIR) / "waiting" / "waiting.so";
  const fs::path sound = fs::path(MSDA_FIXTURE_DIR) / "sound.so";
  const auto reasons = rehearse_opening({sound, silent, sound}, std::chrono::milliseconds(300));
  EXPECT_THAT(reasons, testing::ElementsAre("", "it was not open after 0.3 s", ""));
}

}  // namespace
}  // namespace msda
