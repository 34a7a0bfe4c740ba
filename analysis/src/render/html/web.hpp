// Files of analysis/web and the Vega library, embedded at build time.
#pragma once

#include <string>
#include <string_view>

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

}  // namespace msda
