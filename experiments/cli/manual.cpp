#include "cli/manual.hpp"

#include <string_view>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "version.hpp"

namespace msda {
namespace {

/// A backslash or a hyphen means something to troff.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\' || c == '-') result += '\\';
    result += c;
  }
  return result;
}

std::string item(std::string_view term, std::string_view text) {
  return fmt::format(".TP\n.B {}\n{}\n", escaped(term), escaped(text));
}

}  // namespace

std::string manual() {
  std::string text = fmt::format(
      ".TH MSDA 1 \"\" \"msda {}\"\n.SH NAME\n"
      "msda \\- experiments on kernels of multi\\-scale deformable attention\n"
      ".SH SYNOPSIS\n.B msda\n.I COMMAND\n.RI [ ARGUMENT ...]\n"
      ".SH DESCRIPTION\nVerifies and measures kernels of multi\\-scale deformable attention, alone "
      "and "
      "composed of optimizations, as an experiment in YAML says.\n"
      ".B msda\n.I COMMAND\n.B \\-\\-help\nsays all of a command.\n.SH COMMANDS\n",
      kVersion);
  for (const Command& command : commands()) {
    if (*command.summary != '\0') text += item(command.name, command.summary);
  }
  text += ".SH EXIT STATUS\n" + item("0", "all cells are ok") +
          item("1", "a cell was wrong, failed, crashed or hung; the others are there") +
          item("2", "wrong usage or invalid YAML") + item("3", "the machine lacks something") +
          item("130", "interrupted; the run can be resumed");
  return text + ".SH ENVIRONMENT\n" +
         item("MSDA_CACHE_DIR", "where compiled kernels and references are kept") +
         item("MSDA_PLUGIN_PATH", "directories with plugins, separated by colons");
}

}  // namespace msda
