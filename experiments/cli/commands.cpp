#include "cli/commands.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "cli/terminal.hpp"
#include "plugin/registry.hpp"
#include "render/text/text.hpp"
#include "runner/supervise/manifest.hpp"
#include "version.hpp"

namespace msda {
namespace {

/// Commands of the script ./msda, which builds before it calls the program.
constexpr std::string_view kScriptCommands[] = {"build", "package", "sanitize", "test", "tidy"};

std::string help_text() {
  std::string text =
      "MSDA Lab: experiments on multi-scale deformable attention kernels.\n\n"
      "Usage: msda COMMAND [ARGUMENT...]\nTo begin with: msda run quickstart\n\n"
      "An experiment times arms, each one kernel, on problems, which are sizes of tensors. Kernels "
      "are composed of variants: plugins that each fill a slot. A recipe is a composition with a "
      "name, a preset a problem with a name.\n\nCommands:\n";
  for (const Command& command : commands()) {
    if (*command.summary != '\0') {
      text += fmt::format("  {:<13}{}\n", command.name, command.summary);
    }
  }
  text +=
      "\n'msda COMMAND --help' says more about a command; 'msda --version' names this build.\n\n"
      "Exit codes: 0 every measurement succeeded; 1 some were wrong, failed, crashed or hung (the "
      "others are kept); 2 wrong usage or invalid YAML; 3 the machine lacks something; 130 "
      "interrupted.\n";
  return wrapped(text, terminal_width());
}

const Command& find_command(const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (name == command.name) return command;
    if (*command.summary != '\0') names.emplace_back(command.name);
  }
  if (std::ranges::find(kScriptCommands, name) != std::end(kScriptCommands)) {
    throw UsageError(fmt::format(
        "'{}' is a command of the script at the root of the source tree: ./msda {}", name, name));
  }
  throw UsageError(fmt::format("unknown command '{}'{}; 'msda --help' lists the commands", name,
                               suggestion(name, names)));
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"run", "run an experiment and print its table", run_command},
      {"tune", "search for the fastest composition", tune_command},
      {"list", "list variants, slots, presets and recipes", list_command},
      {"show", "show a variant, slot, preset or recipe in detail", show_command},
      {"validate", "check experiment files without running them", validate_command},
      {"schema", "print the JSON Schema of experiment files", schema_command},
      {"plan", "list what an experiment would measure, without running it", plan_command},
      {"verify", "check variants and recipes against a float64 reference", verify_command},
      {"bench", "time one variant on one problem, whose sizes are key=value", bench_command},
      {"input", "generate or convert the tensors of a problem", input_command},
      {"inspect", "show registers, shared memory, occupancy and SASS of a composition",
       inspect_command},
      {"export", "write compositions as an operator to use elsewhere", export_command},
      {"profile", "count what kernels do under Nsight Compute or Systems", profile_command},
      {"report", "make the report of a finished run again", report_command},
      {"publish", "write a run's report and its data where others can check it", publish_command},
      {"merge", "join the parts of a run that several machines made", merge_command},
      {"import", "turn another tool's measurements into a run", import_command},
      {"compare", "compare two runs", compare_command},
      {"cache", "show or clear what is kept between runs", cache_command},
      {"doctor", "check this machine: what works, and what is missing", doctor_command},
      {"new-variant", "write the folder of a new variant", new_variant_command},
      {"completions", "", completions_command},
      {"worker", "", worker_command},
  };
  return table;
}

int run_program(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    fmt::print(stderr, "{}", help_text());
    return static_cast<int>(ExitCode::kUsage);
  }
  const std::string& name = arguments.front();
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (name == "--help" || name == "-h" || (name == "help" && rest.empty())) {
    fmt::print("{}", help_text());
    return 0;
  }
  if (name == "help") return find_command(rest.front()).run({"--help"});
  if (name == "--version") {
    fmt::print("msda {} ({})\n", kVersion, git_state());
    return 0;
  }
  return find_command(name).run(rest);
}

}  // namespace msda
