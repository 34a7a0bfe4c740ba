#include "mutation/trial.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include <msda/error.hpp>

namespace msda {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Seconds that a check may take before its mutant counts as found: many times what any takes.
constexpr unsigned kPatience = 120;

/// A trial that runs: what it has said so far.
struct Running {
  const Trial* trial;
  pid_t process;
  int pipe;
  std::string said;
};

void say(int pipe, const json& line) {
  const std::string text = line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  if (write(pipe, text.data(), text.size()) < 0) _exit(1);
}

/// In the trial's process.
void try_checks(const Trial& trial, int pipe) {
  const fs::path cache = fs::temp_directory_path() / fmt::format("msda-mutant-{}", getpid());
  const auto edit = [&](Unit& unit) { apply(*trial.mutant, unit); };
  for (const SimtCheck* check : trial.checks) {
    say(pipe, {{"suite", check->suite}, {"check", check->name}});
    alarm(kPatience);
    const std::string wrong = run(*check, edit, cache);
    if (wrong.empty()) continue;
    say(pipe, {{"found", wrong}});
    break;
  }
  std::error_code ignored;
  fs::remove_all(cache, ignored);
}

Running begin(const Trial& trial) {
  int ends[2];
  if (pipe(ends) != 0) throw EnvironmentError("no pipe for a trial");
  const pid_t process = fork();
  if (process < 0) throw EnvironmentError("no process for a trial");
  if (process == 0) {
    close(ends[0]);
    try_checks(trial, ends[1]);
    _exit(0);
  }
  close(ends[1]);
  return {&trial, process, ends[0], ""};
}

/// Reads what there is; false at the end.
bool listen(Running& running) {
  char buffer[4096];
  const ssize_t count = read(running.pipe, buffer, sizeof buffer);
  if (count > 0) running.said.append(buffer, static_cast<std::size_t>(count));
  return count > 0;
}

Outcome end(const Running& running) {
  int status = 0;
  waitpid(running.process, &status, 0);
  close(running.pipe);
  Outcome outcome;
  std::istringstream lines(running.said);
  for (std::string text; std::getline(lines, text);) {
    const json line = json::parse(text);
    if (line.contains("found")) {
      outcome.found = true;
      outcome.how = line.at("found");
    } else {
      ++outcome.tried;
      outcome.suite = line.at("suite");
      outcome.check = line.at("check");
    }
  }
  if (WIFSIGNALED(status)) {
    outcome.found = true;
    outcome.how = WTERMSIG(status) == SIGALRM
                      ? "did not come to an end"
                      : fmt::format("crashed: {}", strsignal(WTERMSIG(status)));
    std::error_code ignored;
    fs::remove_all(fs::temp_directory_path() / fmt::format("msda-mutant-{}", running.process),
                   ignored);
  }
  return outcome;
}

}  // namespace

void run_trials(const std::vector<Trial>& trials,
                const std::function<void(const Trial&, const Outcome&)>& on_outcome) {
  const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
  std::vector<Running> running;
  std::size_t next = 0;
  while (next < trials.size() || !running.empty()) {
    while (next < trials.size() && running.size() < most) running.push_back(begin(trials[next++]));
    std::vector<pollfd> waiting;
    waiting.reserve(running.size());
    for (const Running& one : running) waiting.push_back({one.pipe, POLLIN, 0});
    poll(waiting.data(), waiting.size(), -1);
    for (std::size_t i = waiting.size(); i-- > 0;) {
      if (waiting[i].revents == 0 || listen(running[i])) continue;
      on_outcome(*running[i].trial, end(running[i]));
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

}  // namespace msda
