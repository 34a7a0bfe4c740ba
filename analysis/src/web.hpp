// Files of analysis/web and the Vega library, embedded at build time.
#pragma once

#include <string>
#include <string_view>

namespace msda {

/// Text of a file of analysis/web by its path there, "style.css". Throws Error for another path.
std::string_view web_file(std::string_view path);

/// Whether Vega was there at build time.
bool has_vega();

/// Script elements that define `vega`; "" without Vega.
std::string vega_elements();

}  // namespace msda
