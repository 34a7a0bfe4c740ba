// Running another program for what it prints.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace msda {

struct CommandResult {
  int exit_code = 0;   ///< 128 and the signal's number when a signal ended it
  std::string output;  ///< standard output and error together
};

/// Runs `arguments[0]`, looked up in PATH, with no input, and waits for it. Callable from several
/// threads at a time. Throws EnvironmentError when it cannot be started.
CommandResult execute_command(const std::vector<std::string>& arguments);

/// The first file of this name in a folder of PATH that may be executed.
std::optional<std::filesystem::path> find_in_path(std::string_view name);

}  // namespace msda
