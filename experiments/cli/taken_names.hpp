// Names that an export or a variant cannot have: languages and packages beside it have them.
#pragma once

#include <string_view>

namespace msda {

/// Whose the name is, "C++" say: a keyword, or for a package a module that would hide, or be hidden
/// by it. nullptr: nobody's.
const char* owner_of_name(std::string_view name, bool is_package);

}  // namespace msda
