#include "runner/worker/thread_owners.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <vector>

#include <fmt/format.h>

namespace msda {
namespace {

namespace fs = std::filesystem;

std::set<pid_t> numbers_in(const fs::path& folder) {
  std::set<pid_t> numbers;
  std::error_code unknown;
  for (const auto& entry : fs::directory_iterator(folder, unknown)) {
    numbers.insert(static_cast<pid_t>(std::stol(entry.path().filename().string())));
  }
  return numbers;
}

/// Adds the children of a process, and theirs.
void add_children(const std::string& process, std::set<pid_t>& found) {
  const fs::path threads = fs::path("/proc") / process / "task";
  for (const pid_t thread : numbers_in(threads)) {
    std::ifstream file(threads / std::to_string(thread) / "children");
    for (pid_t child = 0; file >> child;) {
      if (found.insert(-child).second) add_children(std::to_string(child), found);
    }
  }
}

/// The threads of this process, and its children; without these no file is read.
std::set<pid_t> all_now() {
  std::set<pid_t> all = numbers_in("/proc/self/task");
  siginfo_t any{};
  if (::waitid(P_ALL, 0, &any, WEXITED | WNOHANG | WNOWAIT) == 0) add_children("self", all);
  return all;
}

/// 0 for what has ended. The clocks of threads and processes by their numbers, as Linux makes them
/// (include/linux/posix-timers.h): pthread_getcpuclockid() knows only threads of its own.
double seconds_of(pid_t number) {
  constexpr clockid_t kScheduler = 2;
  constexpr clockid_t kPerThread = 4;
  const clockid_t clock =
      number > 0 ? (~number << 3) | kScheduler | kPerThread : (~-number << 3) | kScheduler;
  timespec time{};
  if (::clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

ThreadOwners::ThreadOwners() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  give_new_to("");
}

void ThreadOwners::give_new_to(const std::string& arm) {
  const std::set<pid_t> now = all_now();
  std::erase_if(owners_, [&](const auto& known) { return !now.contains(known.first); });
  for (const pid_t thread : now) owners_.try_emplace(thread, arm);
}

std::map<std::string, double> ThreadOwners::seconds_of_others(const std::string& arm) const {
  std::map<std::string, double> seconds;
  for (const auto& [thread, owner] : owners_) {
    if (!owner.empty() && owner != arm) seconds[owner] += seconds_of(thread);
  }
  return seconds;
}

std::string ThreadOwners::words_of_others(const std::string& arm,
                                          const std::map<std::string, double>* before) const {
  std::vector<std::string> there;
  std::vector<std::string> at_work;
  for (const auto& [other, seconds] : seconds_of_others(arm)) {
    if (seconds == 0) continue;  // they have ended
    there.push_back("`" + other + "`");
    if (before == nullptr) continue;
    const auto known = before->find(other);
    if (known == before->end() || seconds > known->second) at_work.push_back(there.back());
  }
  if (there.empty()) return "";
  return fmt::format("; threads that {} left were {}",
                     fmt::join(at_work.empty() ? there : at_work, ", "),
                     at_work.empty() ? "there" : "at work");
}

}  // namespace msda
