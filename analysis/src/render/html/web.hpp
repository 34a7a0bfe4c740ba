// Files of analysis/web and analysis/templates and the Vega library, embedded at build time.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace msda {

/// Text of a file of analysis/web by its path there, "style.css". Throws Error for another path.
std::string_view web_file(std::string_view path);

/// Whether Vega was there at build time.
bool has_vega();

/// A program for Node.js that draws figures: it reads {id: Vega specification} as JSON from the
/// standard input and writes {id: SVG} to the standard output. Needs has_vega().
std::string svg_program();

/// Script elements that define `vega`; "" without Vega.
std::string vega_elements();

/// Fills the Mustache template `name` ("report.html") with `data`. `{{key}}` escapes what means
/// something in HTML and XML, so that no caller has to; `{{{key}}}` takes text as it is, for
/// scripts and styles of our own. `{{#has_lines}}` is there where
/// the list `lines` is not empty. `{{> part}}` is the template part.html. Throws Error for an
/// unknown or broken template.
std::string fill_template(std::string_view name, const nlohmann::json& data);

}  // namespace msda
