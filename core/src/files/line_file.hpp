// Files that grow line by line, so that what has ended is there whatever comes next.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace msda {

/// Creates the file when it is not there and cuts off a torn last line, which an interrupted writer
/// left. Throws EnvironmentError when it cannot, and where something else than a file is.
void open_lines(const std::filesystem::path& file);

/// Appends the line with its end to a file that is there; on the disk when it returns. Throws
/// EnvironmentError when it cannot.
void append_line(const std::filesystem::path& file, std::string_view line);

/// Without their ends, and without a torn last line. Throws UsageError when the file cannot be
/// read.
std::vector<std::string> read_lines(const std::filesystem::path& file);

}  // namespace msda
