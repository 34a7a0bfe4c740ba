// Tells the user how a search goes: what is at work, and a table of the leaders that is rewritten
// on a terminal; a line for each trial otherwise.
#pragma once

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "runner/supervise/progress.hpp"
#include "runner/tune/candidates.hpp"
#include "runner/tune/scoreboard.hpp"

namespace msda {

/// One device's share of a search; `live` only where nothing else writes to the stream.
class TuneProgress {
 public:
  TuneProgress(std::FILE* stream, bool live) : stream_(stream), live_(live) {}
  ~TuneProgress();
  TuneProgress(const TuneProgress&) = delete;
  TuneProgress& operator=(const TuneProgress&) = delete;

  /// A search of one problem in one mode begins; `candidates` must outlive it.
  void begin(const std::string& title, const Candidates& candidates, double budget_seconds);
  void on_event(const nlohmann::json& event);
  void on_trial(const Trial& trial, const Scoreboard& board, bool done, double seconds);
  /// The search is over and its finalists are confirmed; the progress of that is the returned one's
  /// until it is let go of by end().
  Progress& begin_confirmation(std::size_t processes, const MeasureSettings& settings);
  void end();
  /// A line that stays.
  void say(const std::string& line);

 private:
  void draw();
  void wipe();

  using Clock = std::chrono::steady_clock;
  std::FILE* stream_;
  bool live_;
  std::string title_;
  const Candidates* candidates_ = nullptr;
  double budget_seconds_ = 0;
  double seconds_ = 0;       ///< of the search, at the last trial's beginning
  Clock::time_point since_;  ///< when that was
  Clock::time_point last_drawn_;
  std::string stage_;  ///< "screen, 96 candidates"
  std::string doing_;
  std::string leaders_;  ///< lines
  int lines_drawn_ = 0;
  std::unique_ptr<Progress> confirmation_;
};

/// "c417       1.213x  mapping=corner-pair(threads=512) blend=none", best first, one a line.
std::string leaders_table(const Scoreboard& board, const Candidates& candidates, std::size_t count);

}  // namespace msda
