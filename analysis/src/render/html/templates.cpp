#include "json_text.hpp"
#include "render/html/web.hpp"

#include <fmt/format.h>
#include <kainjow/mustache.hpp>
#include <msda/error.hpp>
#include <msda/plugin.hpp>

namespace msda_templates {
extern const msda::EmbeddedSource kSources[];
}

namespace msda {
namespace {

namespace mustache = kainjow::mustache;

std::string_view template_text(std::string_view name) {
  for (const EmbeddedSource* source = msda_templates::kSources; source->path != nullptr; ++source) {
    if (name == source->path) return source->text;
  }
  throw Error(fmt::format("no embedded template {}", name));
}

mustache::data data_of(const nlohmann::json& value) {
  if (value.is_object()) {
    mustache::data object{mustache::data::type::object};
    for (const auto& [key, member] : value.items()) {
      object.set(key, data_of(member));
      if (member.is_array()) object.set("has_" + key, mustache::data{!member.empty()});
    }
    return object;
  }
  if (value.is_array()) {
    mustache::data list{mustache::data::type::list};
    for (const nlohmann::json& element : value) list.push_back(data_of(element));
    return list;
  }
  if (value.is_boolean()) return mustache::data{value.get<bool>()};
  if (value.is_string()) return mustache::data{value.get<std::string>()};
  if (value.is_null()) return mustache::data{false};
  return mustache::data{json_text(value)};
}

/// "matrix" of "matrix.html".
std::string stem_of(std::string_view path) { return std::string(path.substr(0, path.find('.'))); }

}  // namespace

std::string fill_template(std::string_view name, const nlohmann::json& data) {
  mustache::mustache form{std::string(template_text(name))};
  mustache::data values = data_of(data);
  for (const EmbeddedSource* source = msda_templates::kSources; source->path != nullptr; ++source) {
    const char* text = source->text;
    values.set(stem_of(source->path), mustache::partial{[text] { return std::string(text); }});
  }
  std::string result = form.is_valid() ? form.render(values) : "";
  if (!form.is_valid()) throw Error(fmt::format("template {}: {}", name, form.error_message()));
  return result;
}

}  // namespace msda
