// Reads every source's includes: who depends on whom is what docs/architecture.md says.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;

using testing::IsEmpty;
using Names = std::set<std::string>;

/// Folders of one place in the order of dependence: each may include those before it.
struct Layers {
  std::string place;   ///< in the source tree
  std::string prefix;  ///< of the names that include them
  std::vector<std::string> order;
};

const std::vector<Layers> kLayers = {
    {"core/src",
     "",
     {"files", "process", "trace", "design", "facts", "problem", "input", "reference", "operators",
      "external", "plugin", "compose", "jit", "device", "export", "evidence", "measure",
      "results"}},
    {"analysis/src",
     "",
     {"statistics", "timeline", "ablation", "tuning", "counters", "claims", "report", "render"}},
    {"experiments/runner",
     "runner/",
     {"experiment", "import", "inspect", "protocol", "plan", "worker", "supervise", "profile",
      "publish", "tune"}}};

fs::path root() { return MSDA_SOURCE_DIR; }

bool is_source(const fs::path& file) {
  const std::string suffix = file.extension();
  return suffix == ".hpp" || suffix == ".cpp";
}

std::vector<fs::path> sources_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (is_source(entry.path())) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// What stands between the quotes or angle brackets.
Names includes_of(const fs::path& file) {
  static const std::regex kInclude(R"re(^\s*#\s*include\s*["<]([^">]+)[">])re");
  Names names;
  std::ifstream stream(file);
  std::smatch match;
  for (std::string line; std::getline(stream, line);) {
    if (std::regex_search(line, match, kInclude)) names.insert(match[1]);
  }
  return names;
}

/// "device" of "device/cuda/memory.hpp"; "" of a file without a folder.
std::string folder_of(const std::string& name) {
  const std::size_t slash = name.find('/');
  return slash == std::string::npos ? "" : name.substr(0, slash);
}

/// The file of core/src that the name includes; empty when it is another's.
fs::path core_file(const std::string& name) {
  const fs::path file = root() / "core/src" / name;
  return fs::is_regular_file(file) ? file : fs::path();
}

/// Headers of core/src that the file includes, also by way of others.
Names core_headers_of(const fs::path& file) {
  Names reached;
  std::vector<fs::path> open = {file};
  while (!open.empty()) {
    const Names names = includes_of(open.back());
    open.pop_back();
    for (const std::string& name : names) {
      if (core_file(name).empty() || !reached.insert(name).second) continue;
      open.push_back(core_file(name));
    }
  }
  return reached;
}

std::string in_tree(const fs::path& file) { return fs::relative(file, root()).string(); }

/// "device" of "runner/device/memory.hpp" with prefix "runner/"; "" of what is not in the layers.
std::string layer_of(const Layers& layers, const std::string& name) {
  if (!name.starts_with(layers.prefix)) return "";
  const std::string own = name.substr(layers.prefix.size());
  return fs::is_regular_file(root() / layers.place / own) ? folder_of(own) : "";
}

class LayersTest : public testing::TestWithParam<Layers> {};

TEST_P(LayersTest, EveryFolderHasItsPlace) {
  Names folders;
  for (const auto& entry : fs::directory_iterator(root() / GetParam().place)) {
    if (entry.is_directory()) folders.insert(entry.path().filename());
  }
  EXPECT_EQ(folders, Names(GetParam().order.begin(), GetParam().order.end()));
}

TEST_P(LayersTest, AFolderIncludesThoseBeforeIt) {
  const Layers& layers = GetParam();
  std::map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < layers.order.size(); ++i) place[layers.order[i]] = i;
  std::vector<std::string> wrong;
  for (const fs::path& file : sources_below(root() / layers.place)) {
    const std::string own = folder_of(fs::relative(file, root() / layers.place).string());
    for (const std::string& name : includes_of(file)) {
      const std::string other = layer_of(layers, name);
      const bool may =
          other.empty() || other == own || (!own.empty() && place.at(other) < place.at(own));
      if (!may) wrong.push_back(in_tree(file) + " includes " + name);
    }
  }
  EXPECT_THAT(wrong, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Layering, LayersTest, testing::ValuesIn(kLayers),
                         [](const auto& info) { return folder_of(info.param.place); });

TEST(Layering, PlainFoldersStandAlone) {
  std::vector<std::string> wrong;
  for (const std::string folder : {"trace", "design", "facts", "files", "process"}) {
    for (const fs::path& file : sources_below(root() / "core/src" / folder)) {
      for (const std::string& name : includes_of(file)) {
        const std::string other = folder_of(name);
        if (core_file(name).empty() || other.empty() || other == folder) continue;
        wrong.push_back(in_tree(file) + " includes " + name);
      }
    }
  }
  EXPECT_THAT(wrong, IsEmpty());
}

TEST(Layering, AnalysisKnowsPlainDataAlone) {
  const Names allowed = {"", "files", "facts", "design", "results"};
  std::vector<std::string> wrong;
  for (const fs::path& file : sources_below(root() / "analysis/src")) {
    for (const std::string& name : core_headers_of(file)) {
      if (!allowed.contains(folder_of(name))) wrong.push_back(in_tree(file) + " gets " + name);
    }
    for (const std::string& name : includes_of(file)) {
      if (fs::is_regular_file(root() / "experiments" / name))
        wrong.push_back(in_tree(file) + " includes " + name);
    }
  }
  EXPECT_THAT(wrong, IsEmpty());
}

TEST(Layering, TheCoreKnowsNeitherAnalysisNorExperiments) {
  std::vector<std::string> wrong;
  for (const fs::path& file : sources_below(root() / "core")) {
    for (const std::string& name : includes_of(file)) {
      // A name that is in the core too is meant to be that one.
      if (!core_file(name).empty() || fs::exists(file.parent_path() / name)) continue;
      for (const char* place : {"analysis/src", "experiments"}) {
        if (fs::is_regular_file(root() / place / name))
          wrong.push_back(in_tree(file) + " includes " + name);
      }
    }
  }
  EXPECT_THAT(wrong, IsEmpty());
}

/// What an operator's skeletons declare for the launcher, as those in core/device do.
bool is_operators_device_code(const fs::path& file) {
  const std::string path = in_tree(file);
  return path.rfind("core/src/operators/", 0) == 0 && path.find("/device/") != std::string::npos;
}

TEST(Layering, NothingButTheLauncherLaunchesCompositions) {
  const std::regex steps(
      "[.]per_image|[.]per_query|most_workers|kZeroedEachLaunch|viewed_workspace"
      "|MaxActiveClusters|ProgrammaticStreamSerialization|EncodeTiled_v|cudaResourceTypeLinear");
  const auto files_with_steps = [&](const char* folder) {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(root() / folder)) {
      if (!entry.is_regular_file() || is_operators_device_code(entry.path())) continue;
      std::ifstream stream(entry.path());
      const std::string text(std::istreambuf_iterator<char>(stream), {});
      if (std::regex_search(text, steps)) found.push_back(in_tree(entry.path()));
    }
    return found;
  };
  EXPECT_THAT(files_with_steps("core/src"), IsEmpty());
  EXPECT_THAT(files_with_steps("core/runtime"), testing::Not(IsEmpty()));
}

/// The files of a row of the table "Which file do I change for ...", as paths in the tree.
Names files_of_change(const std::string& change) {
  const std::regex link(R"re(\]\(\.\./([^)#]+)\))re");
  std::ifstream document(root() / "docs/architecture.md");
  Names files;
  for (std::string line; std::getline(document, line);) {
    if (line.rfind("| " + change + " |", 0) != 0) continue;
    for (std::sregex_iterator found(line.begin(), line.end(), link), end; found != end; ++found)
      files.insert((*found)[1]);
  }
  return files;
}

/// Sources of the program that have a match, without those of `elsewhere`.
Names files_with(const std::regex& words, const Names& elsewhere) {
  Names files;
  for (const char* folder :
       {"core/include", "core/src", "analysis/src", "experiments/runner", "experiments/cli"}) {
    for (const fs::path& file : sources_below(root() / folder)) {
      std::ifstream stream(file);
      const std::string text(std::istreambuf_iterator<char>(stream), {});
      if (std::regex_search(text, words) && !elsewhere.contains(in_tree(file)))
        files.insert(in_tree(file));
    }
  }
  EXPECT_THAT(files, testing::Not(IsEmpty()));
  return files;
}

TEST(Layering, ATypeIsNamedInTheFilesOfTheTableAlone) {
  EXPECT_THAT(files_with(std::regex("kFloat16|kBFloat16"), {}),
              testing::IsSubsetOf(files_of_change("a data type")));
}

TEST(Layering, ATimingModeIsNamedInTheFilesOfTheTableAlone) {
  // What nvbench calls its measurements stands there.
  const Names other = {"experiments/runner/import/nvbench.cpp"};
  EXPECT_THAT(files_with(std::regex("TimingMode::k[A-Z]"), other),
              testing::IsSubsetOf(files_of_change("a timing mode")));
}

TEST(Layering, AClaimedQuantityIsNamedInTheFilesOfTheTableAlone) {
  // Those without a rule of their own: a speedup compares arms, a counter has a metric.
  const std::regex words("Quantity::k(Time|Throughput|Bandwidth|Intensity|SpeedOfLight)\\b");
  EXPECT_THAT(files_with(words, {}), testing::IsSubsetOf(files_of_change("a claimed quantity")));
}

TEST(Layering, TheHostKnowsSlotsByTheListAlone) {
  // Tests and skeletons' tables may; the launcher takes what the plan says.
  for (const char* folder : {"core/src/device", "core/src/jit", "core/src/evidence",
                             "core/src/measure", "core/runtime"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root() / folder)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream stream(entry.path());
      const std::string text(std::istreambuf_iterator<char>(stream), {});
      EXPECT_FALSE(std::regex_search(text, std::regex("slot_list[.]cuh|\\bkLayout\\b")))
          << in_tree(entry.path());
    }
  }
}

TEST(Layering, AVariantIncludesPublicHeadersAndItsOwn) {
  std::vector<std::string> wrong;
  for (const fs::path& file : sources_below(root() / "variants")) {
    for (const std::string& name : includes_of(file)) {
      if (!core_file(name).empty() || fs::is_regular_file(root() / "analysis/src" / name))
        wrong.push_back(in_tree(file) + " includes " + name);
    }
  }
  EXPECT_THAT(wrong, IsEmpty());
}

}  // namespace
