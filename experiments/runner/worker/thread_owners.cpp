#include "runner/worker/thread_owners.hpp"

#include <time.h>

#include <filesystem>
#include <set>
#include <system_error>
#include <vector>

#include <fmt/format.h>

namespace msda {
namespace {

std::set<pid_t> threads_now() {
  std::set<pid_t> threads;
  std::error_code unknown;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", unknown)) {
    threads.insert(static_cast<pid_t>(std::stol(entry.path().filename().string())));
  }
  return threads;
}

/// 0 for a thread that has ended. The clock of a thread by its number, as Linux makes it
/// (include/linux/posix-timers.h): pthread_getcpuclockid() knows only threads of its own.
double seconds_of(pid_t thread) {
  constexpr clockid_t kPerThreadSchedulerClock = 6;
  timespec time{};
  if (::clock_gettime((~static_cast<clockid_t>(thread) << 3) | kPerThreadSchedulerClock, &time) !=
      0)
    return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

ThreadOwners::ThreadOwners() { give_new_to(""); }

void ThreadOwners::give_new_to(const std::string& arm) {
  const std::set<pid_t> now = threads_now();
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
  std::vector<std::string> names;
  for (const auto& [other, seconds] : seconds_of_others(arm)) {
    if (seconds == 0) continue;  // they have ended
    const bool known = before != nullptr && before->contains(other);
    if (!known || seconds > before->at(other)) names.push_back("`" + other + "`");
  }
  if (names.empty()) return "";
  return fmt::format("; threads that {} left were {}", fmt::join(names, ", "),
                     before == nullptr ? "there" : "at work");
}

}  // namespace msda
