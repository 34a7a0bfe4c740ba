// Tells the user how far a run is: one line that is rewritten on a terminal, a line for each cell
// otherwise.
#pragma once

#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>

#include <nlohmann/json.hpp>

#include "results/record.hpp"
#include "runner/plan/plan.hpp"

namespace msda {

class Progress {
 public:
  /// `groups`: how many there are to run, once for each process; `live`: `stream` is a terminal.
  /// Callable from several threads.
  Progress(std::FILE* stream, bool live, std::size_t groups, const MeasureSettings& settings);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `extra`: not among those announced.
  void begin_group(const std::string& title, bool extra = false);
  void on_event(const nlohmann::json& event);
  void on_record(const Record& record);
  void end_group();

 private:
  void on_compiled(const nlohmann::json& event);
  /// Share of the groups' work that is done, 0..1.
  double fraction() const;
  void show();
  void clear();
  void print_line(const std::string& line);

  using Clock = std::chrono::steady_clock;
  std::mutex mutex_;
  std::FILE* stream_;
  bool live_;
  std::size_t groups_;
  MeasureSettings settings_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point group_start_ = start_;
  Clock::time_point last_shown_{};
  std::size_t groups_done_ = 0;
  std::string title_;
  std::string doing_;
  double group_fraction_ = 0;
  bool shown_ = false;
};

/// How many of a number of things are made: a line that is rewritten on a terminal, one each
/// `period` seconds otherwise.
class CountProgress {
 public:
  /// `live`: `stream` is a terminal.
  CountProgress(std::FILE* stream, bool live, double period = 20)
      : stream_(stream), live_(live), period_(period) {}
  ~CountProgress();
  CountProgress(const CountProgress&) = delete;
  CountProgress& operator=(const CountProgress&) = delete;

  void tell(const char* what, std::size_t done, std::size_t count);

 private:
  using Clock = std::chrono::steady_clock;
  std::FILE* stream_;
  bool live_;
  double period_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_shown_ = start_;
};

/// "12 s", "3 min 20 s"
std::string format_duration(double seconds);

}  // namespace msda
