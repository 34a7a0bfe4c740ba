// The templates of analysis/templates, embedded at build time: every page and XML file that a
// report is written as.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace msda {

/// Fills the Mustache template `name` ("report.html") with `data`. `{{key}}` escapes what means
/// something in HTML and XML, so that no caller has to; `{{{key}}}` takes text as it is, for
/// scripts and styles of our own. `{{#has_lines}}` is there where
/// the list `lines` is not empty. `{{> part}}` is the template part.html. Throws Error for an
/// unknown or broken template.
std::string fill_template(std::string_view name, const nlohmann::json& data);

}  // namespace msda
