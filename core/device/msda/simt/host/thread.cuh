// Host bodies of simt/thread.cuh: every exchange between threads is a call of the executor.
#pragma once

#include <msda/simt/host/barrier.cuh>

namespace msda::simt {

MSDA_UNCHECKED inline unsigned thread() { return host::me().thread; }
MSDA_UNCHECKED inline unsigned block() { return host::me().block; }
MSDA_UNCHECKED inline unsigned blocks() { return host::me().blocks; }
MSDA_UNCHECKED inline unsigned lane() { return host::me().thread % kWarpLanes; }
MSDA_UNCHECKED inline unsigned warp() { return host::me().thread / kWarpLanes; }

MSDA_UNCHECKED inline void syncthreads(host::Where where = host::here()) {
  const host::BarrierCall call = {where, "block barrier", 0, 0, true};
  host::executor->barrier(&call);
}
MSDA_UNCHECKED inline void syncwarp(unsigned mask = 0xffffffffU, host::Where where = host::here()) {
  host::executor->count(host::kWarpBarrier, nullptr, 1);
  const host::Meeting meeting = {where, "warp barrier", mask, nullptr, nullptr};
  host::executor->meet(&meeting);
}

namespace host {

/// A lane's part in an exchange.
template <class T>
struct Exchange {
  T given;
  int source;  ///< lane
  T taken;
};

template <class T>
MSDA_UNCHECKED void exchange(void* const* lanes, unsigned mask) {
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if ((mask >> lane & 1U) == 0) continue;
    auto* mine = static_cast<Exchange<T>*>(lanes[lane]);
    mine->taken = static_cast<const Exchange<T>*>(lanes[mine->source])->given;
    const bool same = __builtin_memcmp(&mine->taken, &mine->given, sizeof(T)) == 0;
    executor->count(kShuffle, nullptr, 1);
    executor->count(kShuffleOwn, nullptr, mine->source == lane ? 1 : 0);
    executor->count(kShuffleSame, nullptr, same ? 1 : 0);
  }
}

template <class T>
MSDA_UNCHECKED T exchange_with(T value, int source, const char* what, Where where) {
  Exchange<T> mine = {value, source, value};
  const Meeting meeting = {where, what, 0xffffffffU, &mine, exchange<T>};
  executor->meet(&meeting);
  return mine.taken;
}

}  // namespace host

template <class T>
MSDA_UNCHECKED T shfl_xor_sync(T value, int lane_mask, host::Where where = host::here()) {
  return host::exchange_with(value, (static_cast<int>(lane()) ^ lane_mask) % kWarpLanes, "shuffle",
                             where);
}
template <class T>
MSDA_UNCHECKED T shfl_up_sync(T value, int lanes, host::Where where = host::here()) {
  const int mine = static_cast<int>(lane());
  return host::exchange_with(value, mine >= lanes ? mine - lanes : mine, "shuffle", where);
}
template <class T>
MSDA_UNCHECKED T shfl_sync(T value, int source_lane, int width = kWarpLanes,
                           host::Where where = host::here()) {
  const int first = static_cast<int>(lane()) / width * width;
  return host::exchange_with(value, first + (source_lane & (width - 1)), "shuffle", where);
}

namespace host {

/// A lane's part in a match.
struct Match {
  int value;
  unsigned peers;
};

MSDA_UNCHECKED inline void match(void* const* lanes, unsigned /*mask*/) {
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    auto* mine = static_cast<Match*>(lanes[lane]);
    mine->peers = 0;
    for (int other = 0; other < kWarpLanes; ++other) {
      const bool same = static_cast<const Match*>(lanes[other])->value == mine->value;
      mine->peers |= (same ? 1U : 0U) << other;
    }
  }
}

}  // namespace host

MSDA_UNCHECKED inline unsigned match_any_sync(int value, host::Where where = host::here()) {
  host::Match mine = {value, 0};
  const host::Meeting meeting = {where, "match", 0xffffffffU, &mine, host::match};
  host::executor->meet(&meeting);
  return mine.peers;
}

MSDA_UNCHECKED inline int lowest_bit(unsigned bits) { return __builtin_ctz(bits); }

namespace host {

/// Atomically replaces the word by `join(old, value)`, and returns the old one.
template <class T, class Join>
MSDA_UNCHECKED T atomically(T* address, T value, const Join& join) {
  executor->count(kAtomicUpdate, nullptr, 1);
  executor->access(address, sizeof(T), kRead | kAtomic, __builtin_return_address(0));
  executor->acquire(address);
  const T old = *address;
  const T joined = join(old, value);
  if (joined != old) {
    executor->access(address, sizeof(T), kWrite | kAtomic, __builtin_return_address(0));
    *address = joined;
  }
  executor->release(address);
  return old;
}

}  // namespace host

template <class T>
MSDA_UNCHECKED T atomic_max(T* address, T value) {
  return host::atomically(address, value, [](T a, T b) MSDA_UNCHECKED { return a < b ? b : a; });
}
template <class T>
MSDA_UNCHECKED T atomic_add(T* address, T value) {
  return host::atomically(address, value,
                          [](T a, T b) MSDA_UNCHECKED { return static_cast<T>(a + b); });
}

MSDA_UNCHECKED inline unsigned atomic_cas(unsigned* address, unsigned expected, unsigned value) {
  return host::atomically(address, value, [expected](unsigned a, unsigned b) MSDA_UNCHECKED {
    return a == expected ? b : a;
  });
}
MSDA_UNCHECKED inline void threadfence() { host::executor->threadfence(); }

template <class... Values>
MSDA_UNCHECKED void print(const char* format, Values... values) {
  char line[256];
  __builtin_snprintf(line, sizeof line, format, values...);
  host::executor->print(line);
}

MSDA_UNCHECKED inline unsigned char* shared_memory() { return host::me().shared; }

MSDA_UNCHECKED inline void begin_tile(bool first) { host::executor->begin_tile(first); }

MSDA_UNCHECKED inline void note_order(long long image, long long queries, long long position,
                                      long long query) {
  host::executor->note_order(image, queries, position, query);
}

}  // namespace msda::simt
