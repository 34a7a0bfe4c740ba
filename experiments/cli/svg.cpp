#include "cli/svg.hpp"

#include <fcntl.h>

#include <string>

#include <fmt/format.h>
#include <msda/error.hpp>

#include "files/read.hpp"
#include "files/temporary_directory.hpp"
#include "files/write.hpp"
#include "json_text.hpp"
#include "process/child.hpp"
#include "process/command.hpp"
#include "render/html/web.hpp"

namespace msda {
namespace {

std::string find_node() {
  if (!has_vega()) {
    throw EnvironmentError(
        "figures need Vega, and this program was built without it; install Debian's libjs-vega and "
        "build again");
  }
  for (const char* name : {"node", "nodejs"}) {
    if (const auto path = find_in_path(name)) return path->string();
  }
  throw EnvironmentError(
      "figures are drawn by Node.js, and there is no 'node' in PATH; install it (Debian: nodejs), "
      "or open report.html, which draws them in the browser");
}

/// Runs a program on files; "" when it went well, else how it ended.
std::string run(const std::vector<std::string>& command, const std::filesystem::path& input,
                const std::filesystem::path& output, const std::filesystem::path& errors) {
  const OpenFile in(input, O_RDONLY);
  const OpenFile out(output, O_WRONLY | O_CREAT);
  const OpenFile err(errors, O_WRONLY | O_CREAT);
  Child child(command,
              {.input = in.descriptor(), .output = out.descriptor(), .errors = err.descriptor()});
  child.wait();
  return child.exit_code() == 0 ? "" : child.end();
}

/// {id: SVG}
nlohmann::json draw(const std::vector<Figure>& figures, const TemporaryDirectory& work) {
  const std::string node = find_node();
  nlohmann::json specifications = nlohmann::json::object();
  for (const Figure& figure : figures) specifications[figure.id] = standalone(figure);
  const std::filesystem::path program = work.write("draw.cjs", svg_program());
  const std::filesystem::path figures_file = work.write("figures.json", json_line(specifications));
  const std::filesystem::path drawn = work.path() / "svg.json";
  const std::filesystem::path errors = work.path() / "errors";
  const std::string end = run({node, program.string()}, figures_file, drawn, errors);
  if (!end.empty()) {
    throw EnvironmentError(
        fmt::format("{} could not draw the figures ({}):\n{}", node, end, read_text(errors)));
  }
  return parse_json(read_text(drawn));
}

}  // namespace

std::vector<std::filesystem::path> write_figures(const std::vector<Figure>& figures,
                                                 const std::filesystem::path& directory) {
  ensure_directory(directory);
  const nlohmann::json svgs = draw(figures, TemporaryDirectory(directory));
  std::vector<std::filesystem::path> files;
  for (const Figure& figure : figures) {
    files.push_back(directory / (figure.id + ".svg"));
    write_atomically(files.back(), svgs.at(figure.id).get<std::string>() + "\n");
  }
  return files;
}

}  // namespace msda
