#include "cli/arguments.hpp"

#include <algorithm>
#include <iostream>
#include <limits>
#include <sstream>

#include <fmt/format.h>

#include "cli/architecture.hpp"
#include "cli/terminal.hpp"
#include "compose/skeleton.hpp"
#include "render/text/text.hpp"
#include "runner/experiment/parse.hpp"
#include "runner/experiment/yaml_node.hpp"

namespace msda {
namespace {

namespace po = boost::program_options;

constexpr const char* kWords = "words";
/// Long options only as they are spelled: an abbreviation that works today would break with the
/// next option.
constexpr int kStyle =
    po::command_line_style::default_style & ~po::command_line_style::allow_guessing;

/// "run" of "run EXPERIMENT [OPTION...]".
std::string command_name(const CommandHelp& help) {
  return help.usage.substr(0, help.usage.find(' '));
}

/// A value of the command line, read as files are.
YamlNode value_node(const std::string& text) { return {YAML::Node(text), "", {}}; }

}  // namespace

Arguments::Arguments(CommandHelp help)
    : help_(std::move(help)), options_("Options", static_cast<unsigned>(terminal_width())) {
  flag("help", "print this text");
}

void Arguments::flag(const std::string& name, const std::string& summary) {
  options_.add_options()(name.c_str(), summary.c_str());
}

void Arguments::option(const std::string& name, const std::string& placeholder,
                       const std::string& summary) {
  options_.add_options()(name.c_str(), po::value<std::string>()->value_name(placeholder),
                         summary.c_str());
}

void Arguments::list(const std::string& name, const std::string& placeholder,
                     const std::string& summary) {
  options_.add_options()(
      name.c_str(), po::value<std::vector<std::string>>()->value_name(placeholder)->composing(),
      summary.c_str());
}

void Arguments::words(const std::string& placeholder, int minimum, int maximum) {
  word_placeholder_ = placeholder;
  minimum_words_ = minimum;
  maximum_words_ = maximum;
}

void Arguments::plugin_option() {
  list("plugin-dir", "DIR", "also load the plugins of DIR, before all others (repeatable)");
}

void Arguments::device_option() {
  option("device", "ID",
         "auto (default: the first GPU, else the CPU), cpu, cuda:N, or simt[:SEED[:races]], which "
         "checks kernels without a GPU");
}

bool Arguments::parse(const std::vector<std::string>& given) {
  std::vector<std::string> arguments = given;
  std::replace(arguments.begin(), arguments.end(), std::string("-h"), std::string("--help"));
  if (arguments == std::vector<std::string>{kPrintOptions}) {
    for (const auto& known : options_.options()) fmt::print("--{}\n", known->long_name());
    return false;
  }
  const bool only_checked = !arguments.empty() && arguments.back() == kCheckUsage;
  if (only_checked) arguments.pop_back();
  po::options_description accepted;
  accepted.add(options_).add_options()(kWords, po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add(kWords, -1);
  try {
    po::store(po::command_line_parser(arguments)
                  .options(accepted)
                  .positional(positional)
                  .style(kStyle)
                  .run(),
              values_);
  } catch (const po::unknown_option& error) {
    std::vector<std::string> names;
    for (const auto& known : options_.options()) names.push_back("--" + known->long_name());
    fail(fmt::format("unknown option '{}'{}", error.get_option_name(),
                     suggestion(error.get_option_name(), names)));
  } catch (const po::error& error) {
    fail(error.what());
  }
  if (has("help")) {
    print_help();
    return false;
  }
  words_ = all(kWords);
  check_words();
  check_options();
  return !only_checked;
}

void Arguments::check_words() const {
  const auto count = static_cast<int>(words_.size());
  if (std::ranges::count(words_, "") > 0) {
    fail("one of its arguments is empty, as of a variable of the shell that is not set");
  }
  if (count < minimum_words_) fail((count == 0 ? "give " : "give another ") + word_placeholder_);
  if (maximum_words_ >= 0 && count > maximum_words_) {
    fail(fmt::format("unexpected '{}'", words_.at(static_cast<std::size_t>(maximum_words_))));
  }
}

/// No option has a use for an empty value, which would name the current directory to some.
void Arguments::check_options() const {
  for (const auto& [name, value] : values_) {
    const bool is_flag = name != kWords && options_.find(name, false).semantic()->max_tokens() == 0;
    if (name == kWords || is_flag) continue;
    const auto* const text = boost::any_cast<std::string>(&value.value());
    const auto* const list = boost::any_cast<std::vector<std::string>>(&value.value());
    if ((text != nullptr && text->empty()) ||
        (list != nullptr && std::ranges::count(*list, "") > 0)) {
      fail(fmt::format("--{} is empty, as of a variable of the shell that is not set", name));
    }
  }
}

void Arguments::fail(const std::string& message) const {
  throw UsageError(fmt::format("{}: {}; usage: msda {} ('msda {} --help' says more)",
                               command_name(help_), message, help_.usage, command_name(help_)));
}

std::optional<std::string> Arguments::find(const std::string& name) const {
  if (!has(name)) return std::nullopt;
  return values_[name].as<std::string>();
}

std::string Arguments::get(const std::string& name, const std::string& otherwise) const {
  return find(name).value_or(otherwise);
}

std::vector<std::string> Arguments::all(const std::string& name) const {
  if (!has(name)) return {};
  return values_[name].as<std::vector<std::string>>();
}

std::optional<std::int64_t> Arguments::integer(const std::string& name,
                                               std::int64_t minimum) const {
  const std::optional<std::string> given = find(name);
  if (!given) return std::nullopt;
  try {
    return value_node(*given).as_integer(minimum, std::numeric_limits<std::int64_t>::max());
  } catch (const UsageError&) {  // which speaks of a place in a file
    throw UsageError(fmt::format("{}: --{} must be an integer of {} or more, not '{}'",
                                 command_name(help_), name, minimum, *given));
  }
}

std::optional<std::chrono::duration<double>> Arguments::duration(const std::string& name) const {
  const std::optional<std::string> given = find(name);
  if (!given) return std::nullopt;
  try {
    return value_node(*given).as_duration();
  } catch (const UsageError&) {  // which speaks of a place in a file
    const bool is_number = given->find_first_of("0123456789") == 0;
    throw UsageError(fmt::format("{}: --{} must be a duration such as '2 min'{}, not '{}'",
                                 command_name(help_), name,
                                 is_number ? ", more than zero and at most a year" : "", *given));
  }
}

std::vector<std::filesystem::path> Arguments::plugin_directories() const {
  const std::vector<std::string> given = all("plugin-dir");
  return {given.begin(), given.end()};
}

std::string Arguments::device() const {
  const std::string id = get("device", "auto");
  return names_architecture(id) ? id
                                : parse_device(id);  // an architecture, for what compiles alone
}

void Arguments::devices_option() {
  option("devices", "ID,ID,...",
         "several devices of one model, each with a worker of its own; arms that are compared stay "
         "on one of them");
}

std::vector<std::string> Arguments::devices() const {
  const std::optional<std::string> given = find("devices");
  if (!given) return {device()};
  if (has("device")) fail("give either --device or --devices, not both");
  std::vector<std::string> ids;
  std::istringstream list(*given);
  for (std::string id; std::getline(list, id, ',');) ids.push_back(parse_device(id));
  return ids;
}

void Arguments::print_help() const {
  std::ostringstream options;
  options << options_;
  const std::size_t width = terminal_width();
  fmt::print("Usage: msda {}\n\n{}\n\n{}", help_.usage, wrapped(help_.text, width), options.str());
  if (!help_.examples.empty()) fmt::print("\nExamples:\n{}", help_.examples);
  fmt::print("\n{}", wrapped(fmt::format("Exit codes: {}.\n", help_.exit_codes), width));
}

Registry load_registry(const Arguments& arguments) {
  return Registry(Registry::default_directories(arguments.plugin_directories()), slot_error);
}

}  // namespace msda
