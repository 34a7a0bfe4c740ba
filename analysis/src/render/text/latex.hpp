// Text as LaTeX.
#pragma once

#include <string>
#include <string_view>

namespace msda {

/// Characters that mean something in LaTeX are set literally.
std::string latex_text(std::string_view text);

/// Names may break behind their parts: LaTeX would hyphenate nothing that has a sign inside.
std::string latex_name(std::string_view name);

/// Lines that LaTeX does not set; "" for "".
std::string latex_comment(const std::string& text);

}  // namespace msda
