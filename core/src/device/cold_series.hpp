// Which launches of a cold series are watched, where what a watch enqueues would show in a time.
#pragma once

#include <vector>

namespace msda {

/// Seconds. What a watch enqueues before a sample makes it about a microsecond longer, which moves
/// no median of launches that take this long; launches of less are watched beside those that are
/// timed.
inline constexpr double kWatchedWhereTimed = 500e-6;

/// How many launches are watched beside `samples` timed ones of `seconds` each. A share s of
/// launches that do nothing passes a run of n of them with a chance of (1 - s)^n: brief ones, whose
/// flushes cost more than they do, are watched as often as they are timed.
constexpr int watched_beside(int samples, double seconds) {
  constexpr double kBrief = 100e-6;
  return seconds < kBrief ? samples : (samples + 3) / 4;
}

/// Whether the launch is watched, by place among `samples` timed and `watched` other launches:
/// those from `first` on, as if the last place were before the first one. Where `first` is drawn
/// among all places, each is watched with the same chance, so that no place in a block is a safe
/// one to leave out; and few timed launches follow upon watched ones.
inline std::vector<bool> watched_places(int samples, int watched, int first) {
  const int places = samples + watched;
  std::vector<bool> is_watched(static_cast<std::size_t>(places));
  for (int i = 0; i < watched; ++i) {
    is_watched[static_cast<std::size_t>((first + i) % places)] = true;
  }
  return is_watched;
}

}  // namespace msda
