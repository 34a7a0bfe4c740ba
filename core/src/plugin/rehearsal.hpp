// Opening plugins in a child process first: what a library does when it is loaded, or its factory,
// can end a process in ways that no exception tells of.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace msda {

/// Opens the files one after the other, each at most for `patience`, in a copy of this process. The
/// result has for each file "", or why this process had better not open it: "it ended the process
/// with exit code 7 while it was opened". What open_plugin() reports by itself is no such reason.
/// Without a process to spare, as when there is no memory for one, all are "".
std::vector<std::string> rehearse_opening(
    const std::vector<std::filesystem::path>& files,
    std::chrono::milliseconds patience = std::chrono::seconds(30));

}  // namespace msda
