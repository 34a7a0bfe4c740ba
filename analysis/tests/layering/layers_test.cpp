// The folders of analysis/src stand on each other in one order, and of the core they know what runs
// leave behind alone.
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace msda {
namespace {

namespace fs = std::filesystem;

/// What the files of a folder may include, besides each other.
const std::map<std::string, std::set<std::string>> kMayInclude{
    {"statistics", {"facts", "results"}},
    {"tuning", {"facts", "results", "design", "statistics"}},
    {"claims", {"facts", "results", "statistics", "counters"}},
    {"ablation", {"facts", "results", "design", "statistics"}},
    {"timeline", {"results"}},
    {"counters", {"facts", "results", "design", "statistics", "ablation"}},
    {"report",
     {"tuning", "facts", "files", "results", "design", "statistics", "claims", "ablation",
      "counters", "timeline"}},
    {"render",
     {"tuning", "facts", "files", "results", "design", "statistics", "claims", "ablation",
      "counters", "timeline", "report"}}};

/// "render/text.hpp" of a line that includes it in quotes, else "".
std::string included_by(const std::string& line) {
  const std::string directive = "#include \"";
  if (!line.starts_with(directive)) return "";
  return line.substr(directive.size(), line.find('"', directive.size()) - directive.size());
}

TEST(Layers, IncludeOnlyWhatLiesBelow) {
  const fs::path root = fs::path(MSDA_SOURCE_DIR) / "analysis" / "src";
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    ++files;
    const std::string folder = *fs::relative(entry.path(), root).begin();
    ASSERT_TRUE(kMayInclude.contains(folder)) << entry.path() << " lies in no known folder";
    std::ifstream stream(entry.path());
    for (std::string line; std::getline(stream, line);) {
      const std::string file = included_by(line);
      if (file.find('/') == std::string::npos) continue;  // a helper of the core, or no include
      const std::string target = file.substr(0, file.find('/'));
      EXPECT_TRUE(target == folder || kMayInclude.at(folder).contains(target))
          << entry.path().string() << " includes " << file;
    }
  }
  EXPECT_GT(files, 50);
}

}  // namespace
}  // namespace msda
