#include "mutation/trial.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include <msda/error.hpp>

#include "compose/unit_writer.hpp"
#include "conformance/offsets.hpp"
#include "jit/host_compiler.hpp"

namespace msda {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Seconds that a check may compute, and that it may take where others compute too: many times what
/// any takes.
constexpr int kPatience = 60;
constexpr unsigned kLongPatience = 600;
/// A mutant that so many checks do not bring to an end is left alone.
constexpr int kMostUnending = 2;

/// A trial that runs: what it has said so far, in this process and in those before it.
struct Running {
  const Trial* trial;
  std::size_t first;  ///< check of the trial that the process begins with
  pid_t process;
  int pipe;
  std::string said;
  Outcome outcome;
};

/// Ends this process by SIGPROF or SIGALRM unless it is called again in time.
void be_patient() {
  const itimerval computing{{0, 0}, {kPatience, 0}};
  setitimer(ITIMER_PROF, &computing, nullptr);
  alarm(kLongPatience);
}

void say(int pipe, const json& line) {
  const std::string text = line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  if (write(pipe, text.data(), text.size()) < 0) _exit(1);
}

/// Whether the edited unit of the first check compiles; those that story-tellers wrote do.
bool compiles(const Trial& trial, const Edit& edit, const fs::path& cache) {
  const SimtCheck& check = *trial.checks.front();
  const Problem problem = check.cases.empty() ? vast_problem(check.composition)
                                              : check.pool().at(check.cases.front()).problem;
  try {
    ComposedUnit composed = write_unit(check.composition, problem);
    edit(composed.unit);
    HostCompiler(cache).compile(composed.unit);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// What the check says without an edit, in a process of its own: the edited code may have left
/// anything behind. "" when it passes.
std::string wrong_unedited(const SimtCheck& check) {
  int ends[2];
  if (pipe(ends) != 0) throw EnvironmentError("no pipe for a check");
  const pid_t process = fork();
  if (process < 0) throw EnvironmentError("no process for a check");
  if (process == 0) {
    be_patient();
    const std::string wrong = run(check);
    _exit(write(ends[1], wrong.data(), wrong.size()) < 0 ? 1 : 0);
  }
  close(ends[1]);
  std::string wrong;
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
    wrong.append(buffer, static_cast<std::size_t>(count));
  close(ends[0]);
  int status = 0;
  waitpid(process, &status, 0);
  return status == 0 ? wrong : "crashes";
}

/// In the trial's process. What passes without an edit has passed in the program's own cache.
void try_checks(const Trial& trial, std::size_t first, int pipe) {
  const fs::path cache = fs::temp_directory_path() / fmt::format("msda-mutant-{}", getpid());
  const auto edit = [&](Unit& unit) { apply(*trial.mutant, unit); };
  be_patient();
  if (trial.mutant->is_generated && first == 0 && !compiles(trial, edit, cache)) {
    return say(pipe, {{"invalid", true}});
  }
  for (std::size_t i = first; i < trial.checks.size(); ++i) {
    const SimtCheck& check = *trial.checks[i];
    say(pipe, {{"suite", check.suite}, {"check", check.name}});
    be_patient();
    const std::string wrong = run(check, edit, cache);
    if (wrong.empty()) continue;
    alarm(2 * kLongPatience);
    if (const std::string red = wrong_unedited(check); !red.empty()) {
      say(pipe, {{"red", fmt::format("{} {}: {}", check.suite, check.name, red)}});
      continue;
    }
    say(pipe, {{"found", wrong}});
    break;
  }
  std::error_code ignored;
  fs::remove_all(cache, ignored);
}

Running begin(const Trial& trial, std::size_t first, Outcome outcome) {
  int ends[2];
  if (pipe(ends) != 0) throw EnvironmentError("no pipe for a trial");
  const pid_t process = fork();
  if (process < 0) throw EnvironmentError("no process for a trial");
  if (process == 0) {
    close(ends[0]);
    try {
      try_checks(trial, first, ends[1]);
    } catch (const std::exception& error) {  // nothing that an edit does; of the test itself
      say(ends[1], {{"red", fmt::format("{}: {}", trial.mutant->file, error.what())}});
    }
    _exit(0);
  }
  close(ends[1]);
  return {&trial, first, process, ends[0], "", std::move(outcome)};
}

/// Reads what there is; false at the end.
bool listen(Running& running) {
  char buffer[4096];
  const ssize_t count = read(running.pipe, buffer, sizeof buffer);
  if (count > 0) running.said.append(buffer, static_cast<std::size_t>(count));
  return count > 0;
}

void take_words(const std::string& said, Outcome& outcome) {
  std::istringstream lines(said);
  for (std::string text; std::getline(lines, text);) {
    const json line = json::parse(text);
    if (line.contains("found")) {
      outcome.found = true;
      outcome.how = line.at("found");
    } else if (line.contains("red")) {
      outcome.red.push_back(line.at("red"));
    } else if (line.contains("invalid")) {
      outcome.valid = false;
    } else {
      ++outcome.tried;
      outcome.suite = line.at("suite");
      outcome.check = line.at("check");
    }
  }
}

/// Of a process that has ended. True when the trial goes on in another, with the next check.
bool goes_on(Running& running) {
  int status = 0;
  waitpid(running.process, &status, 0);
  close(running.pipe);
  Outcome& outcome = running.outcome;
  take_words(running.said, outcome);
  if (!WIFSIGNALED(status)) return false;
  std::error_code ignored;
  fs::remove_all(fs::temp_directory_path() / fmt::format("msda-mutant-{}", running.process),
                 ignored);
  if (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF) {
    ++outcome.unending;
  } else if (const SimtCheck& check =
                 *running.trial->checks[static_cast<std::size_t>(std::max(outcome.tried, 1) - 1)];
             !wrong_unedited(check).empty()) {
    outcome.red.push_back(fmt::format("{} {}: crashes", check.suite, check.name));
  } else {
    outcome.found = true;
    outcome.how = fmt::format("crashed: {}", strsignal(WTERMSIG(status)));
    return false;
  }
  return outcome.unending < kMostUnending &&
         static_cast<std::size_t>(outcome.tried) < running.trial->checks.size();
}

}  // namespace

void run_trials(std::vector<Trial> trials, const std::function<void(Trial&)>& on_begin,
                const std::function<void(const Trial&, const Outcome&)>& on_outcome) {
  const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
  std::vector<Running> running;
  std::size_t next = 0;
  while (next < trials.size() || !running.empty()) {
    for (; next < trials.size() && running.size() < most; ++next) {
      on_begin(trials[next]);
      running.push_back(begin(trials[next], 0, {}));
    }
    std::vector<pollfd> waiting;
    waiting.reserve(running.size());
    for (const Running& one : running) waiting.push_back({one.pipe, POLLIN, 0});
    poll(waiting.data(), waiting.size(), -1);
    for (std::size_t i = waiting.size(); i-- > 0;) {
      if (waiting[i].revents == 0 || listen(running[i])) continue;
      Running ended = std::move(running[i]);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      if (goes_on(ended)) {
        const auto tried = static_cast<std::size_t>(ended.outcome.tried);
        running.push_back(begin(*ended.trial, tried, std::move(ended.outcome)));
      } else {
        on_outcome(*ended.trial, ended.outcome);
      }
    }
  }
}

}  // namespace msda
