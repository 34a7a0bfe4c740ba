// The commands of the program: one file each, one table of them all.
#pragma once

#include <string>
#include <vector>

namespace msda {

/// A command's arguments are those behind its name; it returns the exit code and may throw Error.
using CommandFunction = int (*)(const std::vector<std::string>& arguments);

struct Command {
  const char* name;
  const char* summary;  ///< one line; empty for a command that users do not call
  CommandFunction run;
};

const std::vector<Command>& commands();

/// Runs the command that the first argument names. Prints help and version; throws Error.
int run_program(const std::vector<std::string>& arguments);

int run_command(const std::vector<std::string>& arguments);
int tune_command(const std::vector<std::string>& arguments);
int list_command(const std::vector<std::string>& arguments);
int show_command(const std::vector<std::string>& arguments);
int validate_command(const std::vector<std::string>& arguments);
int plan_command(const std::vector<std::string>& arguments);
int verify_command(const std::vector<std::string>& arguments);
int bench_command(const std::vector<std::string>& arguments);
int input_command(const std::vector<std::string>& arguments);
int inspect_command(const std::vector<std::string>& arguments);
int export_command(const std::vector<std::string>& arguments);
int profile_command(const std::vector<std::string>& arguments);
int report_command(const std::vector<std::string>& arguments);
int publish_command(const std::vector<std::string>& arguments);
int merge_command(const std::vector<std::string>& arguments);
int import_command(const std::vector<std::string>& arguments);
int compare_command(const std::vector<std::string>& arguments);
int schema_command(const std::vector<std::string>& arguments);
int cache_command(const std::vector<std::string>& arguments);
int doctor_command(const std::vector<std::string>& arguments);
int new_variant_command(const std::vector<std::string>& arguments);
int completions_command(const std::vector<std::string>& arguments);
int worker_command(const std::vector<std::string>& arguments);

}  // namespace msda
