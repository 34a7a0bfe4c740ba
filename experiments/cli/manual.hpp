// The manual page, which packages install: what `msda help --man` prints.
#pragma once

#include <string>

namespace msda {

/// In the language of man(7).
std::string manual();

}  // namespace msda
