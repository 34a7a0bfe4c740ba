#include "runner/publish/checkout.hpp"

#include <fmt/format.h>
#include <msda/error.hpp>

#include "pattern.hpp"
#include "process/command.hpp"

namespace msda {
namespace {

CommandResult git(const std::filesystem::path& where, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"git", "-C", where.string()});
  return execute_command(arguments);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

Checkout::Checkout(const std::filesystem::path& inside) {
  const CommandResult said = git(inside, {"rev-parse", "--show-toplevel"});
  if (said.exit_code != 0) {
    throw UsageError(
        fmt::format("{} lies in no git checkout: {}", inside.string(), first_line(said.output)));
  }
  root_ = first_line(said.output);
}

void Checkout::require_clean(const std::filesystem::path& published) const {
  const std::filesystem::path part =
      std::filesystem::weakly_canonical(published).lexically_relative(
          std::filesystem::canonical(root_));
  std::vector<std::string> status = {"status", "--porcelain", "--", "."};
  const bool is_inside = !part.empty() && *part.begin() != "..";
  if (is_inside) status.push_back(":(exclude)" + part.generic_string());
  const CommandResult said = git(root_, std::move(status));
  if (said.exit_code != 0) {
    throw UsageError(fmt::format("cannot tell what has changed in {}: {}", root_.string(),
                                 first_line(said.output)));
  }
  if (said.output.empty()) return;
  throw UsageError(
      fmt::format("{} has changes that no commit has, the first is '{}'; commit or "
                  "remove them, so that the commit is all that a reader needs",
                  root_.string(), first_line(said.output)));
}

void Checkout::require_ancestor(const std::string& commit) const {
  const CommandResult said = git(root_, {"merge-base", "--is-ancestor", commit, "HEAD"});
  if (said.exit_code == 0) return;
  throw UsageError(
      fmt::format("the run's commit {} is not in the history of {}", commit, root_.string()));
}

std::string commit_of(const std::string& git_state) {
  if (git_state.ends_with("-dirty")) {
    throw UsageError(
        fmt::format("the program that ran ({}) had changes that no commit has; build "
                    "a clean commit and run again",
                    git_state));
  }
  if (git_state.empty() || git_state == "unknown") {
    throw UsageError("the program that ran was not built in a git checkout");
  }
  static const Pattern described("^.*-g([0-9a-f]+)$");
  const auto found = described.search(git_state);
  return found ? found->at(1) : git_state;
}

}  // namespace msda
