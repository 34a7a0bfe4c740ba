// Keeps a directory of cache entries within a size.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace msda {

/// Removes the entries (files whose names end in `suffix`) that were modified longest ago until the
/// rest takes at most `limit` bytes, and temporary files that interrupted writers left more than an
/// hour ago. Other files stay. Throws std::filesystem::filesystem_error when the directory cannot
/// be read; a file that another process removes meanwhile is no error.
void trim_cache(const std::filesystem::path& directory, std::string_view suffix,
                std::uintmax_t limit);

}  // namespace msda
