#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "device/device.hpp"

namespace msda {
namespace {

void print_lines(const std::vector<std::string>& candidates) {
  for (const std::string& candidate : candidates) fmt::print("{}\n", candidate);
}

std::vector<std::string> command_names() {
  std::vector<std::string> names = {"help"};
  for (const Command& command : commands()) {
    if (*command.summary != '\0') names.emplace_back(command.name);
  }
  return names;
}

std::vector<std::string> device_ids() {
  std::vector<std::string> ids = {"auto"};
  for (const DeviceInfo& device : list_devices()) ids.push_back(device.id);
  return ids;
}

/// Variants and recipes, as verify and bench take them.
std::vector<std::string> arm_names() {
  const Registry registry(Registry::default_directories({}));
  std::vector<std::string> names;
  for (const Plugin& plugin : registry.plugins()) names.push_back(plugin.name);
  for (const auto& [name, recipe] : recipes_for({}, registry)) names.push_back(name);
  return names;
}

/// What a command's words may be; files are the shell's own business.
std::vector<std::string> words_of(const std::string& command) {
  if (command == "input") return {"generate", "convert"};
  constexpr std::array kWithArms = {"show", "verify", "bench", "inspect"};
  if (std::find(kWithArms.begin(), kWithArms.end(), command) == kWithArms.end()) return {};
  std::vector<std::string> names = arm_names();
  if (command == "show") {
    for (const std::string& preset : preset_names()) names.push_back(preset);
  }
  return names;
}

}  // namespace

int completions_command(const std::vector<std::string>& words) {
  if (words == std::vector<std::string>{"--help"}) {
    fmt::print(
        "Usage: msda completions [WORD...]\n\nWhat may follow the words, for a shell's "
        "completion.\n\nExit codes: 0 ok.\n");
    return 0;
  }
  if (words.empty() || words.front() == "help") {
    print_lines(command_names());
    return 0;
  }
  const std::string& before = words.back();
  if (before == "--device" || before == "--devices") {
    print_lines(device_ids());
  } else if (before == "--problem") {
    print_lines(preset_names());
  } else {
    const std::vector<std::string> names = command_names();
    if (std::find(names.begin(), names.end(), words.front()) == names.end()) return 0;
    const auto found = std::find_if(commands().begin(), commands().end(),
                                    [&](const Command& c) { return words.front() == c.name; });
    found->run({kPrintOptions});
    print_lines(words_of(words.front()));
  }
  return 0;
}

}  // namespace msda
