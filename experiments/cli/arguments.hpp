// The command line of one command: options, positional words, help text and errors, all in one
// form.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <boost/program_options.hpp>

#include "plugin/registry.hpp"

namespace msda {

/// What `msda COMMAND --help` prints above and below the options.
struct CommandHelp {
  std::string usage;  ///< "run EXPERIMENT [OPTION...]"
  /// What it does: paragraphs, which are wrapped to the terminal, and indented lines.
  std::string text;
  std::string examples;  ///< one a line
  std::string exit_codes = "0 ok; 2 wrong usage or a broken file; 3 something is missing here";
};

/// Alone on a command line: the command's options are printed, one a line, for completion.
inline constexpr const char* kPrintOptions = "--print-options";
/// Last on a command line: it is checked and nothing is done, for tests of documents.
inline constexpr const char* kCheckUsage = "--check-usage";

class Arguments {
 public:
  explicit Arguments(CommandHelp help);

  /// Adds "--name" without a value.
  void flag(const std::string& name, const std::string& summary);
  /// Adds "--name PLACEHOLDER".
  void option(const std::string& name, const std::string& placeholder, const std::string& summary);
  /// Adds "--name PLACEHOLDER", which may be given several times.
  void list(const std::string& name, const std::string& placeholder, const std::string& summary);
  /// Words without "--": at least `minimum`, at most `maximum` (-1: any number).
  void words(const std::string& placeholder, int minimum, int maximum);
  /// --plugin-dir, as every command that loads plugins has it.
  void plugin_option();
  void device_option();

  /// False when help was asked for and printed, or nothing but a check. Throws UsageError that
  /// names the command and, for an unknown option, the nearest one.
  bool parse(const std::vector<std::string>& arguments);

  bool has(const std::string& name) const { return values_.count(name) > 0; }
  std::optional<std::string> find(const std::string& name) const;
  std::string get(const std::string& name, const std::string& otherwise) const;
  std::vector<std::string> all(const std::string& name) const;
  /// The value of an option that is a whole number; throws UsageError for another or a smaller one.
  std::optional<std::int64_t> integer(const std::string& name, std::int64_t minimum) const;
  /// Of one that is a duration, "2 min"; throws UsageError for another text and for no time at all.
  std::optional<std::chrono::duration<double>> duration(const std::string& name) const;
  const std::vector<std::string>& words() const { return words_; }
  std::vector<std::filesystem::path> plugin_directories() const;
  /// --device, checked for its form; "auto" when it was not given. May be an architecture
  /// ("sm_89"), which is no device of this machine.
  std::string device() const;
  /// Adds --devices, a list of --device's values.
  void devices_option();
  /// --devices, each checked for its form; --device alone without it. Throws UsageError when both
  /// are given.
  std::vector<std::string> devices() const;

 private:
  void print_help() const;
  void check_words() const;
  void check_options() const;
  [[noreturn]] void fail(const std::string& message) const;

  CommandHelp help_;
  boost::program_options::options_description options_;
  std::string word_placeholder_;
  int minimum_words_ = 0;
  int maximum_words_ = 0;
  boost::program_options::variables_map values_;
  std::vector<std::string> words_;
};

/// The plugins of the directories given and of the default ones.
Registry load_registry(const Arguments& arguments);

}  // namespace msda
