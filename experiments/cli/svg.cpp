#include "cli/svg.hpp"

#include <map>
#include <string>

#include <fmt/format.h>
#include <boost/process.hpp>
#include <msda/error.hpp>

#include "files/read.hpp"
#include "files/temporary_directory.hpp"
#include "files/write.hpp"
#include "json_line.hpp"
#include "render/web.hpp"

namespace msda {
namespace {

namespace bp = boost::process;

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
nlohmann::json draw(const std::vector<Figure>& figures, const TemporaryDirectory& work) {
  const auto node = find_node();
  nlohmann::json specifications = nlohmann::json::object();
  for (const Figure& figure : figures) specifications[figure.id] = standalone(figure);
  const std::filesystem::path program = work.write("draw.cjs", svg_program());
  const std::filesystem::path figures_file = work.write("figures.json", json_line(specifications));
  const std::filesystem::path drawn = work.path() / "svg.json";
  const std::filesystem::path errors = work.path() / "errors";
  const int status = bp::system(bp::exe = node, bp::args = {program.string()},
                                bp::std_in<figures_file.string(), bp::std_out> drawn.string(),
                                bp::std_err > errors.string());
  if (status != 0) {
    throw EnvironmentError(fmt::format("{} could not draw the figures (exit code {}):\n{}",
                                       node.string(), status, read_text(errors)));
  }
  return nlohmann::json::parse(read_text(drawn));
}

}  // namespace

std::vector<std::filesystem::path> write_figures(const std::vector<Figure>& figures,
                                                 const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  const nlohmann::json svgs = draw(figures, TemporaryDirectory(directory));
  std::vector<std::filesystem::path> files;
  for (const Figure& figure : figures) {
    files.push_back(directory / (figure.id + ".svg"));
    write_atomically(files.back(), svgs.at(figure.id).get<std::string>() + "\n");
  }
  return files;
}

}  // namespace msda
