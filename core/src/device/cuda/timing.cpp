#include "device/cuda/timing.hpp"

#include <algorithm>
#include <cmath>

#include "device/cold_series.hpp"
#include "device/cuda/check.hpp"

namespace msda {
namespace {

/// Part p of sample i lies between the events i * stride + p and the next.
CudaTiming::Times times(const CudaEvents& events, int samples, int parts, int stride) {
  CudaTiming::Times seconds(static_cast<std::size_t>(parts));
  for (int i = 0; i < samples; ++i) {
    for (int part = 0; part < parts; ++part) {
      const int from = i * stride + part;
      seconds[static_cast<std::size_t>(part)].push_back(events.seconds(from, from + 1));
    }
  }
  return seconds;
}

/// Adds samples of each part.
void append(const CudaTiming::Times& more, CudaTiming::Times& all) {
  for (std::size_t part = 0; part < more.size(); ++part) {
    all[part].insert(all[part].end(), more[part].begin(), more[part].end());
  }
}

}  // namespace

/// Of a series whose launches are watched where they are timed: one of four samples, so that what a
/// watch may cost moves no median.
LaunchWatch* CudaTiming::Series::draw_watch() const {
  return watch != nullptr && watch->draw(4) == 0 ? watch : nullptr;
}

void CudaTiming::flush_l2() {
  if (!flush_)
    flush_ = std::make_unique<CudaMemory>(static_cast<std::size_t>(2 * device_.l2_bytes));
  check(cudaCtxResetPersistingL2Cache(), "cudaCtxResetPersistingL2Cache");
  check(cudaMemsetAsync(flush_->data(), 0, flush_->size(), stream_), "cudaMemsetAsync");
}

CudaTiming::Times CudaTiming::cold_series(const Series& series, const Launch& launch,
                                          const std::function<void()>& flush_others) {
  const int stride = series.parts + 1;
  CudaEvents events(series.samples * stride);
  for (int i = 0; i < series.samples; ++i) {
    const int number = series.first + i;
    LaunchWatch* const watch = series.draw_watch();
    if (watch != nullptr) watch->before(number);
    flush_l2();
    flush_others();
    events.record(i * stride, stream_);
    for (int part = 0; part < series.parts; ++part) {
      launch(number, part);
      events.record(i * stride + part + 1, stream_);
    }
    if (watch != nullptr) watch->after(number);
  }
  return times(events, series.samples, series.parts, stride);
}

/// Watched launches that are not timed look like samples to a kernel; another launch behind them
/// leaves the caches of instructions as they were.
CudaTiming::Times CudaTiming::cold(int samples, int parts, const Launch& launch,
                                   const std::function<void()>& flush_others, LaunchWatch* watch) {
  if (watch == nullptr) return cold_series({0, samples, parts, 1, nullptr}, launch, flush_others);
  const double seconds = seconds_of(launch);
  if (seconds >= kWatchedWhereTimed) {
    return cold_series({0, samples, parts, 1, watch}, launch, flush_others);
  }
  const int watched = watched_beside(samples, seconds);
  const int places = samples + watched;
  const std::vector<bool> is_watched = watched_places(samples, watched, watch->draw(places));
  Times all(static_cast<std::size_t>(parts));
  for (auto from = is_watched.begin(); from != is_watched.end();) {
    const auto to = std::find(from, is_watched.end(), !*from);
    const int first = static_cast<int>(from - is_watched.begin());
    const int count = static_cast<int>(to - from);
    if (*from) {
      watch_cold(*watch, first, count, launch, flush_others);
      launch(first + count, 0);
    } else {
      append(cold_series({first, count, parts, 1, nullptr}, launch, flush_others), all);
    }
    from = to;
  }
  return all;
}

void CudaTiming::watch_cold(LaunchWatch& watch, int first, int count, const Launch& launch,
                            const std::function<void()>& flush_others) {
  for (int number = first; number < first + count; ++number) {
    watch.before(number);
    flush_l2();
    flush_others();
    launch(number, 0);
    watch.after(number);
  }
}

CudaGate* CudaTiming::gate() {
  if (gate_is_known_) return gate_.get();
  gate_is_known_ = true;
  try {
    gate_ = std::make_unique<CudaGate>(compiler_(), device_);
  } catch (const EnvironmentError&) {
    // The host's gaps are in the times of a machine that has no compiler.
  }
  return gate_.get();
}

double CudaTiming::seconds_of(const Launch& launch) {
  CudaEvents events(2);
  events.record(0, stream_);
  launch(0, 0);
  events.record(1, stream_);
  return events.seconds(0, 1);
}

/// As many as make a sample long against an event, but no more than a graph has.
int CudaTiming::launches_per_sample(const Launch& launch) {
  const double seconds = seconds_of(launch);
  if (seconds * kLaunchesPerGraph <= kLongEnough) return kLaunchesPerGraph;
  return std::max(1, static_cast<int>(std::ceil(kLongEnough / seconds)));
}

CudaTiming::Times CudaTiming::warm(int samples, int parts, const Launch& launch,
                                   LaunchWatch* watch) {
  // Behind a closed gate the queue of the device must have room for all, or the host would wait for
  // it; a launch may enqueue several things, and a watch a handful.
  constexpr int kMostEnqueued = 128;
  constexpr int kOfWatch = 8;
  check(cudaCtxResetPersistingL2Cache(), "cudaCtxResetPersistingL2Cache");
  const int launches = parts == 1 ? launches_per_sample(launch) : 1;
  const int enqueued = parts * launches + (watch != nullptr ? kOfWatch : 0);
  const int at_a_time = std::max(1, kMostEnqueued / enqueued);
  Times seconds(static_cast<std::size_t>(parts));
  bool gated = gate() != nullptr;
  for (int first = 0; first < samples; first += at_a_time) {
    const Series series{first, std::min(at_a_time, samples - first), parts, launches, watch};
    Times times = back_to_back(series, launch, gated);
    if (gated && gate()->was_late()) {
      gated = false;
      times = back_to_back(series, launch, gated);
    }
    append(times, seconds);
  }
  return seconds;
}

/// Between the samples the stream does what the watch asks for, so that each sample has an event of
/// its own at its beginning.
CudaTiming::Times CudaTiming::back_to_back(const Series& series, const Launch& launch, bool gated) {
  const int stride = series.parts + 1;
  CudaEvents events(series.samples * stride);
  if (gated) gate()->close(stream_);
  // Launches go through the input sets in order, whatever they are for: nothing tells them apart.
  int next = series.first * series.launches;
  // Fills caches and queue; outside every interval.
  for (int part = 0; part < series.parts; ++part) launch(next, part);
  ++next;
  LaunchWatch* const between = series.launches > 1 ? series.watch : nullptr;
  if (between != nullptr) watch_some(*between, launch, next);
  for (int i = 0; i < series.samples; ++i) {
    LaunchWatch* const around = series.launches == 1 ? series.draw_watch() : nullptr;
    if (around != nullptr) around->before(next);
    events.record(i * stride, stream_);
    for (int part = 0; part < series.parts; ++part) {
      for (int j = 0; j < series.launches; ++j) launch(next + j, part);
      events.record(i * stride + part + 1, stream_);
    }
    if (around != nullptr) around->after(next);
    next += series.launches;
    if (between != nullptr) watch_some(*between, launch, next);
  }
  if (gated) gate()->open();
  Times seconds = times(events, series.samples, series.parts, stride);
  for (std::vector<double>& of_part : seconds) {
    for (double& sample : of_part) sample /= series.launches;
  }
  return seconds;
}

/// None, one or two launches from `next` on, each behind as many others as a sample has at most;
/// none is timed. Their numbers are drawn, so that no launch can know whether it is timed or
/// watched, and what comes before a watched launch may be enqueued before launches of other input
/// sets, so that time does not tell either. Another launch leaves the caches as a sample does.
void CudaTiming::watch_some(LaunchWatch& watch, const Launch& launch, int& next) {
  for (int i = 0; i < 2 && watch.draw(3) == 0; ++i) {
    const int others = watch.draw(kLaunchesPerGraph);
    const int ahead = watch.draw(std::min(watch.sets(), others + 1));
    const int watched = next + others;
    while (next < watched - ahead) launch(next++, 0);
    watch.before(watched);
    while (next <= watched) launch(next++, 0);
    watch.after(watched);
    launch(next++, 0);
  }
}

std::vector<double> CudaTiming::graph(int samples, const std::function<void(int)>& launch,
                                      LaunchWatch* watch) {
  check(cudaCtxResetPersistingL2Cache(), "cudaCtxResetPersistingL2Cache");
  CudaGraph graph(stream_, kLaunchesPerGraph, launch);
  return watched_replays(graph, nullptr, samples, watch);
}

std::vector<double> CudaTiming::behind(int samples, const std::function<void(int)>& launch,
                                       LaunchWatch* watch) {
  check(cudaCtxResetPersistingL2Cache(), "cudaCtxResetPersistingL2Cache");
  if (!neighbour_) neighbour_ = std::make_unique<CudaNeighbour>(compiler_(), device_);
  const CudaGraph others(stream_, kLaunchesPerGraph, [&](int) { neighbour_->launch(stream_); });
  CudaGraph graph(stream_, kLaunchesPerGraph, [&](int i) {
    neighbour_->launch(stream_);
    launch(i);
  });
  return watched_replays(graph, &others, samples, watch);
}

/// The watched copy of the graph runs between two samples, as drawn, so that no launch can know
/// whether it is timed or watched.
std::vector<double> CudaTiming::watched_replays(CudaGraph& graph, const CudaGraph* others,
                                                int samples, LaunchWatch* watch) {
  const int before = watch != nullptr ? watch->draw(samples + 1) : samples;
  std::vector<double> seconds = replays(graph, others, before);
  if (watch == nullptr) return seconds;
  graph.launch_watched(stream_, *watch);
  const std::vector<double> later = replays(graph, others, samples - before);
  seconds.insert(seconds.end(), later.begin(), later.end());
  return seconds;
}

/// Times of the graph for each of its launches, less those of the graph of `others`, if any.
std::vector<double> CudaTiming::replays(const CudaGraph& graph, const CudaGraph* others,
                                        int samples) {
  std::vector<double> seconds;
  if (samples == 0) return seconds;
  CudaEvents events(2 * samples + 1);
  graph.launch(stream_);  // the first launch of a graph uploads it
  if (others != nullptr) others->launch(stream_);
  events.record(0, stream_);
  for (int i = 0; i < samples; ++i) {
    if (others != nullptr) others->launch(stream_);
    events.record(2 * i + 1, stream_);
    graph.launch(stream_);
    events.record(2 * i + 2, stream_);
  }
  seconds.reserve(static_cast<std::size_t>(samples));
  for (int i = 0; i < samples; ++i) {
    const double of_others = others != nullptr ? events.seconds(2 * i, 2 * i + 1) : 0.0;
    seconds.push_back((events.seconds(2 * i + 1, 2 * i + 2) - of_others) / kLaunchesPerGraph);
  }
  return seconds;
}

}  // namespace msda
