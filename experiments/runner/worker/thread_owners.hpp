// Threads that arms leave running, in the worker or in processes that they have started, take
// processors from the arms beside them: who started which, and how long they ran.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>

namespace msda {

class ThreadOwners {
 public:
  /// Those that are there now belong to the program. What a process of an arm leaves without a
  /// parent is the worker's child from now on.
  ThreadOwners();

  /// Those that have come since the last call are the arm's.
  void give_new_to(const std::string& arm);
  /// Seconds of processor time so far of the threads of all arms but `arm`, by their arms.
  std::map<std::string, double> seconds_of_others(const std::string& arm) const;
  /// "; threads that `a`, `b` left were there": of all arms but `arm`. "... were at work" names
  /// those alone that have run since `before`, where that is given and there are such: what others
  /// did may have come just before it. "" without any.
  std::string words_of_others(const std::string& arm,
                              const std::map<std::string, double>* before = nullptr) const;

 private:
  /// "": the program. By the number of a thread, or the negative one of a child process.
  std::map<pid_t, std::string> owners_;
};

}  // namespace msda
