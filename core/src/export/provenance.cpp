// Where exported code comes from, for people and for programs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include <msda/operators/fused.hpp>

#include "characters.hpp"
#include "export/parts.hpp"
#include "problem/validate.hpp"
#include "version.hpp"

namespace msda {
namespace {

using nlohmann::json;

/// Each plugin once, with its version.
std::vector<std::string> plugins_of(const std::vector<CheckedKernel>& kernels) {
  std::set<std::string> plugins;
  for (const CheckedKernel& kernel : kernels) {
    for (const Part& part : kernel.exported->composition.parts()) {
      plugins.insert(part.plugin->name + " " + part.plugin->version);
    }
  }
  return {plugins.begin(), plugins.end()};
}

/// A word of a comment: no name in it ends or begins a comment, or shows as other code than there
/// is.
std::string comment_word(const std::string& word) {
  std::string text = visible(word);
  for (const char* mark : {"*/", "/*", "??"}) {
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;)
      text.insert(at + 1, " ");
  }
  return text;
}

/// Lines of at most so many columns, behind " * "; words stay whole.
std::string wrapped(const std::string& text, const std::string& indent) {
  constexpr std::size_t kColumns = 98;
  std::string all;
  std::string line = " * ";
  std::istringstream words(text);
  for (std::string raw; words >> raw;) {
    const std::string word = comment_word(raw);
    if (line.size() > 3 + indent.size() && line.size() + word.size() + 1 > kColumns) {
      all += line + "\n";
      line = " * " + indent;
    }
    line += (line.size() <= 3 + indent.size() ? "" : " ") + word;
  }
  return all + line + "\n";
}

json to_json(const CheckedKernel& kernel) {
  const Problem& problem = kernel.exported->problem;
  json levels = json::array();
  for (const Level& level : problem.levels) levels.push_back({level.height, level.width});
  const Composition& composition = kernel.exported->composition;
  json parts = json::array();
  for (const Part& part : kernel.exported->composition.parts()) {
    parts.push_back({{"plugin", part.plugin->name},
                     {"version", part.plugin->version},
                     {"hash", part.plugin->hash}});
  }
  json images = json::array();
  for (const CodeImage& image : kernel.images) {
    images.push_back({{"architecture", image.architecture}, {"code_hash", image.code_hash}});
  }
  json box_parts = json::array();
  for (std::int64_t point = 0; point < problem.row_points(); ++point) {
    box_parts.push_back(fused::part_of_box(problem, point));
  }
  const Types& types = problem.types;
  const Arithmetic arithmetic = kernel.exported->composition.arithmetic(problem);
  return {{"name", kernel.name},
          {"recipe", kernel.exported->recipe},
          {"composition", kernel.exported->composition.describe()},
          {"plugins", parts},
          {"operator", composition.op().name()},
          {"form", name_of(composition.levels())},
          {"repeats", kernel.repeats},
          {"problem", problem.name},
          {"types",
           {name_of(types.value), name_of(types.location), name_of(types.weight),
            name_of(types.output)}},
          {"references",
           {{"coordinates", problem.references.coordinates},
            {"anchors", problem.references.anchors},
            {"box_parts", box_parts},
            {"type", name_of(types.reference)}}},
          {"layout", problem.layout == ValueLayout::kPlain ? "plain" : "zero-border"},
          {"heads", problem.heads},
          {"channels", problem.channels},
          {"points", problem.points},
          {"level_points", problem.level_points},
          {"padded", problem.padding},
          {"levels", levels},
          {"batch", problem.batch},
          {"queries", problem.batch * problem.queries},
          {"value_unit", arithmetic.values.to.unit * arithmetic.values.times},
          {"value_step", arithmetic.value_step},
          {"least_capability", kernel.least_capability},
          {"images", images},
          {"threads", kernel.plan.main.threads},
          {"shared_bytes", kernel.plan.main.shared_bytes}};
}

}  // namespace

std::string levels_text(const CheckedKernel& kernel) {
  const LevelForm form = kernel.exported->composition.levels();
  const Problem& problem = kernel.exported->problem;
  if (form != LevelForm::kFixed) return fmt::format("{}, {}", problem.level_count(), name_of(form));
  std::vector<std::string> sizes;
  for (const Level& level : problem.levels) {
    sizes.push_back(fmt::format("{}x{}", level.height, level.width));
  }
  return fmt::format("{}", fmt::join(sizes, " "));
}

std::string types_text(const Types& types) {
  if (types == Types::all(types.value)) return std::string(name_of(types.value));
  return fmt::format("value {}, locations {}, weights {}, output {}", name_of(types.value),
                     name_of(types.location), name_of(types.weight), name_of(types.output));
}

std::string provenance_comment(const ExportRequest& request,
                               const std::vector<CheckedKernel>& kernels) {
  std::string text = fmt::format(
      "/* {}: multi-scale deformable attention, exported by MSDA Lab {}.\n"
      " * SPDX-License-Identifier: Apache-2.0 (licence of MSDA Lab and of the plugins in its tree; "
      "one\n * from elsewhere may have another)\n *\n",
      request.name, kVersion);
  for (const CheckedKernel& kernel : kernels) {
    const Problem& problem = kernel.exported->problem;
    text += wrapped(
        fmt::format("{}: H={} C={} P={}, levels {}, {}; chosen for {} queries in all "
                    "images; compute capability {}.{} and later",
                    kernel.name, problem.heads, problem.channels, points_text(problem),
                    levels_text(kernel), types_text(problem.types), problem.batch * problem.queries,
                    kernel.least_capability / 10, kernel.least_capability % 10),
        "  ");
    text += wrapped("  " + kernel.exported->composition.describe(), "    ");
  }
  text += " *\n" + wrapped(fmt::format("Plugins: {}.", fmt::join(plugins_of(kernels), ", ")), "  ");
  text += request.report_from.empty()
              ? " * Measured: no report was given.\n"
              : wrapped("Measured: report.md, of " + request.report_from, "  ");
  return text + " */";
}

std::string provenance_json(const ExportRequest& request,
                            const std::vector<CheckedKernel>& kernels) {
  json object = {{"name", request.name},
                 {"program", "MSDA Lab"},
                 {"version", kVersion},
                 {"commit", request.commit},
                 {"command", request.command},
                 {"nvrtc", nvrtc_version()},
                 {"license", "Apache-2.0"},
                 {"report", request.report_from},
                 {"architectures", request.architectures},
                 {"kernels", json::array()}};
  for (const CheckedKernel& kernel : kernels) object["kernels"].push_back(to_json(kernel));
  return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace msda
