// Where everything lies that can be made again.
#pragma once

#include <filesystem>

namespace msda {

/// $MSDA_CACHE_DIR, else $XDG_CACHE_HOME/msda, else ~/.cache/msda. Throws EnvironmentError when
/// there is none of them.
std::filesystem::path cache_directory();

}  // namespace msda
