#include "runner/tune/tune_progress.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "elapsed.hpp"
#include "runner/protocol/protocol.hpp"

namespace msda {
namespace {

constexpr std::size_t kLeaders = 5;
constexpr std::size_t kWidth = 110;
constexpr std::chrono::milliseconds kRefresh{100};

std::string cut(const std::string& line) {
  return line.size() <= kWidth ? line : line.substr(0, kWidth - 3) + "...";
}

}  // namespace

std::string leaders_table(const Scoreboard& board, const Candidates& candidates,
                          std::size_t count) {
  std::string text;
  for (const std::uint64_t number : board.leaders(count)) {
    const double gain = std::exp(-board.all().at(number).log_time());
    text += cut(fmt::format("  {:<10} {:>6.3f}x  {}", candidates.name(number), gain,
                            candidates.describe(number))) +
            "\n";
  }
  return text;
}

TuneProgress::~TuneProgress() { wipe(); }

void TuneProgress::begin(const std::string& title, const Candidates& candidates,
                         double budget_seconds) {
  wipe();
  title_ = title;
  candidates_ = &candidates;
  budget_seconds_ = budget_seconds;
  seconds_ = 0;
  since_ = Clock::now();
  leaders_.clear();
  stage_.clear();
  doing_.clear();
  const SpaceCount& count = candidates.count();
  say(fmt::format(
      "{}: {}{} of {} points can run, {} to spend", title, count.is_whole() ? "" : "about ",
      count.is_whole() ? count.left
                       : static_cast<std::uint64_t>(static_cast<double>(count.points) *
                                                    static_cast<double>(count.left) /
                                                    static_cast<double>(count.looked_at)),
      count.points, format_duration(budget_seconds)));
  if (count.left > 0) return;
  std::string counts = to_text(count);
  counts.pop_back();  // the line's end
  say("No point of the space is left to try:\n" + counts);
}

void TuneProgress::on_event(const nlohmann::json& event) {
  if (confirmation_) return confirmation_->on_event(event);
  const std::string kind = event.at("event");
  if (kind == event::kCompiled) {
    doing_ =
        fmt::format("compile {}/{}", event.at("done").get<int>(), event.at("count").get<int>());
  } else if (kind == event::kPhase) {
    const std::string cell = event.at("cell");
    const std::string phase = event.at("phase");
    doing_ = cell.empty() ? phase : fmt::format("{} {}", phase, cell);
  }
  if (live_ && Clock::now() - last_drawn_ >= kRefresh) draw();
}

void TuneProgress::on_trial(const Trial& trial, const Scoreboard& board, bool done,
                            double seconds) {
  stage_ = fmt::format("{}, {} candidates", name_of(trial.stage), trial.candidates.size());
  seconds_ = seconds;
  since_ = Clock::now();
  leaders_ = leaders_table(board, *candidates_, kLeaders);
  if (live_) return draw();
  if (!done) return;
  const std::size_t failed = board.all().size() - board.timed();
  say(fmt::format("  {}; {} tried, {} failed, {}", stage_, board.all().size(), failed,
                  format_duration(seconds)));
  std::fputs(leaders_table(board, *candidates_, 1).c_str(), stream_);
  std::fflush(stream_);
}

Progress& TuneProgress::begin_confirmation(std::size_t processes, const MeasureSettings& settings) {
  wipe();
  if (live_) std::fputs(leaders_.c_str(), stream_);
  say("  confirm the finalists in fresh processes, on inputs that the search has not seen");
  confirmation_ = std::make_unique<Progress>(stream_, live_, processes, settings);
  return *confirmation_;
}

void TuneProgress::end() {
  confirmation_.reset();
  wipe();
}

void TuneProgress::say(const std::string& line) {
  wipe();
  std::fputs((line + "\n").c_str(), stream_);
  std::fflush(stream_);
}

void TuneProgress::draw() {
  wipe();
  const double seconds = seconds_ + seconds_since(since_);
  const std::string status =
      cut(fmt::format("[{} of {}] {}: {}; {}", format_duration(seconds),
                      format_duration(budget_seconds_), title_, stage_, doing_));
  std::fputs((leaders_ + status + "\n").c_str(), stream_);
  std::fflush(stream_);
  lines_drawn_ = 1 + static_cast<int>(std::count(leaders_.begin(), leaders_.end(), '\n'));
  last_drawn_ = Clock::now();
}

/// Takes the lines away again, without fmt, which throws when the stream fails.
void TuneProgress::wipe() {
  for (; lines_drawn_ > 0; --lines_drawn_) std::fputs("\x1b[A\x1b[2K", stream_);
}

}  // namespace msda
