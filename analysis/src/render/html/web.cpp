#include "render/html/web.hpp"

#include <vector>

#include <fmt/format.h>
#include <msda/error.hpp>
#include <msda/plugin.hpp>

namespace msda_web {
extern const msda::EmbeddedSource kSources[];
}
namespace msda_vega {
extern const msda::EmbeddedSource kSources[];
}

namespace msda {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// A module's text so that it can stand in a script element. What would end the element, or begin a
/// comment, can only stand in strings and patterns of JavaScript, where a backslash changes
/// nothing.
std::string inlined(std::string_view module) {
  std::string text(module);
  // The map is not beside the report.
  const std::size_t map = text.rfind("//# sourceMappingURL");
  if (map != std::string::npos) text.erase(map);
  replace_all(text, "</script", "<\\/script");
  replace_all(text, "<!--", "<\\!--");
  return text;
}

/// "vega-util.min.js" is the module "vega-util". One file is not named like its module.
std::string module_name(std::string_view file) {
  const std::string name(file.substr(0, file.find('.')));
  return name == "vega-selection" ? "vega-selections" : name;
}

/// Statements that put every module of Vega into `window.vegaModules`, one for each.
std::vector<std::string> module_definitions() {
  std::vector<std::string> definitions{"window.vegaModules = {};"};
  for (const EmbeddedSource* source = msda_vega::kSources; source->path != nullptr; ++source) {
    definitions.push_back(
        fmt::format("window.vegaModules[\"{}\"] = function (module, exports, require) {{\n{}\n}};",
                    module_name(source->path), inlined(source->text)));
  }
  return definitions;
}

}  // namespace

std::string_view web_file(std::string_view path) {
  for (const EmbeddedSource* source = msda_web::kSources; source->path != nullptr; ++source) {
    if (path == source->path) return source->text;
  }
  throw Error(fmt::format("no embedded file {}", path));
}

bool has_vega() { return msda_vega::kSources[0].path != nullptr; }

std::string vega_elements() {
  if (!has_vega()) return "";
  std::string text;
  for (const std::string& definition : module_definitions()) {
    text += fmt::format("<script>\n{}\n</script>\n", definition);
  }
  return text + fmt::format("<script>\n{}{}</script>", web_file("vega.js"), web_file("fit.js"));
}

std::string svg_program() {
  std::string text(web_file("node.js"));
  for (const std::string& definition : module_definitions()) text += definition + "\n";
  return text.append(web_file("vega.js")).append(web_file("fit.js")).append(web_file("svg.js"));
}

}  // namespace msda
