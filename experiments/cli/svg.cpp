#include "cli/svg.hpp"

#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include <fmt/format.h>
#include <boost/process.hpp>
#include <msda/error.hpp>

#include "json_line.hpp"
#include "render/web.hpp"
#include "results/record.hpp"

namespace msda {
namespace {

namespace bp = boost::process;

/// A directory for what the drawing program reads and writes; gone when this is.
class WorkDirectory {
 public:
  explicit WorkDirectory(const std::filesystem::path& beside) {
    std::string name = (beside / ".figures-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw EnvironmentError(fmt::format("cannot make a directory in {}", beside.string()));
    }
    path_ = name;
  }
  ~WorkDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  WorkDirectory(const WorkDirectory&) = delete;
  WorkDirectory& operator=(const WorkDirectory&) = delete;

  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

std::string read(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

boost::filesystem::path find_node() {
  if (!has_vega()) {
    throw EnvironmentError(
        "figures need Vega, and this program was built without it; install Debian's libjs-vega and "
        "build again");
  }
  for (const char* name : {"node", "nodejs"}) {
    if (auto path = bp::search_path(name); !path.empty()) return path;
  }
  throw EnvironmentError(
      "figures are drawn by Node.js, and there is no 'node' in PATH; install it (Debian: nodejs), "
      "or open report.html, which draws them in the browser");
}

/// {id: SVG}
nlohmann::json draw(const std::vector<Figure>& figures, const WorkDirectory& work) {
  const auto node = find_node();
  nlohmann::json specifications = nlohmann::json::object();
  for (const Figure& figure : figures) specifications[figure.id] = standalone(figure);
  write_atomically(work / "draw.cjs", svg_program());
  write_atomically(work / "figures.json", json_line(specifications));
  const int status = bp::system(
      bp::exe = node, bp::args = {(work / "draw.cjs").string()},
      bp::std_in<(work / "figures.json").string(), bp::std_out>(work / "svg.json").string(),
      bp::std_err > (work / "errors").string());
  if (status != 0) {
    throw EnvironmentError(fmt::format("{} could not draw the figures (exit code {}):\n{}",
                                       node.string(), status, read(work / "errors")));
  }
  return nlohmann::json::parse(read(work / "svg.json"));
}

}  // namespace

std::vector<std::filesystem::path> write_figures(const std::vector<Figure>& figures,
                                                 const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  const nlohmann::json svgs = draw(figures, WorkDirectory(directory));
  std::vector<std::filesystem::path> files;
  for (const Figure& figure : figures) {
    files.push_back(directory / (figure.id + ".svg"));
    write_atomically(files.back(), svgs.at(figure.id).get<std::string>() + "\n");
  }
  return files;
}

}  // namespace msda
