#include "runner/supervise/progress.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "elapsed.hpp"
#include "runner/protocol/protocol.hpp"
#include "runner/supervise/say.hpp"

namespace msda {
namespace {

constexpr std::chrono::milliseconds kRefresh{100};
constexpr double kWorthALine = 1;  ///< seconds
constexpr const char* kClearLine = "\r\x1b[K";

}  // namespace

std::string format_duration(double seconds) {
  const auto whole = std::lround(std::max(0.0, seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

Progress::Progress(std::FILE* stream, bool live, std::size_t groups,
                   const MeasureSettings& settings)
    : stream_(stream), live_(live), groups_(groups), settings_(settings) {}

Progress::~Progress() {
  if (shown_) say_text(stream_, kClearLine);
}

void Progress::begin_group(const std::string& title, bool extra) {
  const std::lock_guard lock(mutex_);
  if (extra) ++groups_;
  title_ = title;
  doing_.clear();
  group_fraction_ = 0;
  group_start_ = Clock::now();
  if (!live_) print_line(fmt::format("[{}/{}] {}", groups_done_ + 1, groups_, title_));
  show();
}

void Progress::on_event(const nlohmann::json& event) {
  const std::lock_guard lock(mutex_);
  const std::string kind = event.at("event");
  if (kind == event::kPhase) {
    const std::string cell = event.at("cell");
    const std::string phase = event.at("phase");
    doing_ = cell.empty() ? phase : cell + ": " + phase;
  }
  if (kind == event::kCompiled) on_compiled(event);
  if (kind == event::kVacuous) {
    clear();
    print_line(fmt::format("  {} has no effect: {}", event.at("cell").get<std::string>(),
                           fmt::join(event.at("missing").get<std::vector<std::string>>(), "; ")));
  }
  if (kind == event::kSample) {
    // A group ends with its blocks or with its budget, whichever comes first.
    const double by_blocks = event.at("block").get<double>() / settings_.blocks;
    const double by_time = seconds_since(group_start_) / settings_.budget_of_process().count();
    group_fraction_ = std::min(0.99, std::max({group_fraction_, by_blocks, by_time}));
  }
  if (seconds_since(last_shown_) >= std::chrono::duration<double>(kRefresh).count()) show();
}

/// The last of a group leaves a line; on a terminal only when it was worth waiting for.
void Progress::on_compiled(const nlohmann::json& event) {
  const int done = event.at("done");
  const int count = event.at("count");
  doing_ = fmt::format("{}: compile {}/{}", title_, done, count);
  const double seconds = event.at("seconds");
  if (done < count || (live_ && seconds < kWorthALine)) return;
  clear();
  print_line(fmt::format("  compiled {} in {:.2f} s, {} from the cache", count, seconds,
                         event.at("from_cache").get<int>()));
}

void Progress::on_record(const Record& record) {
  const std::lock_guard lock(mutex_);
  if (live_ && record.status == CellStatus::kOk) return;
  clear();
  print_line(fmt::format("  {} {}{}", record.cell, name_of(record.status),
                         record.reason.empty() ? "" : ": " + record.reason));
}

void Progress::end_group() {
  const std::lock_guard lock(mutex_);
  ++groups_done_;
  group_fraction_ = 0;
  show();
}

double Progress::fraction() const {
  if (groups_ == 0) return 1;
  return (static_cast<double>(groups_done_) + group_fraction_) / static_cast<double>(groups_);
}

void Progress::show() {
  if (!live_) return;
  const double done = fraction();
  const double elapsed = seconds_since(start_);
  // Early estimates swing widely and tell nothing.
  const std::string left =
      done > 0.05 ? format_duration(elapsed * (1 - done) / done) + " left" : "estimating";
  std::string line =
      fmt::format("[{:3.0f}%] {}, {}", 100 * done, left, doing_.empty() ? title_ : doing_);
  constexpr std::size_t kWidth = 100;
  if (line.size() > kWidth) line = line.substr(0, kWidth - 3) + "...";
  say(stream_, "{}{}", kClearLine, line);
  last_shown_ = Clock::now();
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  say_text(stream_, kClearLine);
  shown_ = false;
}

void Progress::print_line(const std::string& line) { say(stream_, "{}\n", line); }

CountProgress::~CountProgress() {
  if (live_) say_text(stream_, kClearLine);
}

void CountProgress::tell(const char* what, std::size_t done, std::size_t count) {
  if (!live_ && seconds_since(last_shown_) < period_) return;
  say(stream_, "{}  compiled {} of {} {}, {}{}", live_ ? kClearLine : "", done, count, what,
      format_duration(seconds_since(start_)), live_ ? "" : "\n");
  last_shown_ = Clock::now();
}

}  // namespace msda
