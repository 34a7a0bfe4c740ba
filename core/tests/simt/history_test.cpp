// What is kept of accesses finds what keeping all of them, byte by byte, would find.
#include <gtest/gtest.h>

#include <random>

#include "device/simt/races.hpp"

namespace msda::simt {
namespace {

constexpr std::size_t kThreads = 6;
constexpr std::size_t kAgents = 2;
constexpr std::size_t kBytes = 37;  // the last word is no whole one

/// Every access since the last write, of each byte.
class EveryAccess {
 public:
  struct Access {
    std::uint32_t thread;
    std::uint32_t moment;
    bool writes;
    bool atomic;
  };

  /// The first byte that somebody else's access was of, which nothing orders before this one; notes
  /// the access where there is none.
  std::optional<std::size_t> access(const Clock& clock, std::size_t first, std::size_t bytes,
                                    bool writes, bool atomic) {
    for (std::size_t byte = first; byte < first + bytes; ++byte) {
      for (const Access& other : of_[byte]) {
        if (!(writes || other.writes) || (other.atomic && atomic)) continue;
        if (other.moment > clock[other.thread]) return byte;
      }
      if (writes) of_[byte].clear();
      of_[byte].push_back({clock.thread, clock.moment, writes, atomic});
    }
    return std::nullopt;
  }
  std::optional<std::size_t> untold(const Moments& known, std::size_t from, std::size_t to) const {
    for (std::size_t byte = 0; byte < kBytes; ++byte) {
      for (const Access& other : of_[byte]) {
        if ((other.thread < from || other.thread >= to) && other.moment > known[other.thread])
          return byte;
      }
    }
    return std::nullopt;
  }

 private:
  std::vector<Access> of_[kBytes];
};

std::optional<std::size_t> byte_of(const std::optional<Conflict>& conflict) {
  return conflict ? std::optional(conflict->byte) : std::nullopt;
}

/// Threads access, meet, release and acquire at random until two accesses race; says how many
/// accesses there were.
int expect_the_same(Races& races, std::mt19937_64& random) {
  const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  EveryAccess every;
  int subjects[3] = {};
  races.clear();
  for (int accesses = 0;;) {
    const std::size_t thread = below(kThreads);
    switch (below(8)) {
      case 0: races.meet({thread, (thread + 1) % kThreads, (thread + 3) % kThreads}); break;
      case 1:
        races.release(&subjects[below(3)], races.clock(thread));
        races.advance(thread);
        break;
      case 2: races.acquire(thread, &subjects[below(3)]); break;
      case 3: {
        const std::size_t to = 1 + below(kThreads);
        std::vector<const Clock*> clocks;
        for (std::size_t t = 0; t < to; ++t) clocks.push_back(&races.clock(t));
        const Known known = join(clocks);
        EXPECT_EQ(byte_of(races.history().untold(*known, 0, kBytes, 0, to)),
                  every.untold(*known, 0, to));
        break;
      }
      default: {
        const std::size_t bytes = std::size_t{1} << below(5);
        const std::size_t first = below(kBytes / bytes) * bytes;
        const bool by_agent = below(20) == 0;
        const bool writes = by_agent || below(6) == 0;
        const bool atomic = below(4) == 0;
        const Clock clock =
            by_agent ? races.delegate(thread, kThreads + below(kAgents)) : races.clock(thread);
        if (by_agent) races.advance(thread);
        const auto expected = every.access(clock, first, bytes, writes, atomic);
        const auto found = races.history().access(clock, first, bytes, writes, atomic, nullptr);
        EXPECT_EQ(byte_of(found), expected);
        if (expected || found) return accesses;
        ++accesses;
      }
    }
  }
}

TEST(History, FindsWhatEveryAccessTogetherWouldFind) {
  std::mt19937_64 random(1);
  Races races(kThreads, kAgents, kBytes);
  int accesses = 0;
  constexpr int kRuns = 3000;
  for (int run = 0; run < kRuns && !::testing::Test::HasFailure(); ++run)
    accesses += expect_the_same(races, random);
  EXPECT_GT(accesses, 5 * kRuns) << "runs end too soon to tell";
}

TEST(History, KnowsWhoseAccessItWas) {
  Races races(2, 0, 16);
  const int place = 0;
  EXPECT_FALSE(races.history().access(races.clock(1), 4, 8, false, false, &place));
  const auto conflict = races.history().access(races.clock(0), 6, 1, true, false, nullptr);
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->byte, 6U);
  EXPECT_EQ(conflict->thread, 1U);
  EXPECT_FALSE(conflict->wrote);
  EXPECT_EQ(conflict->pc, &place);
}

}  // namespace
}  // namespace msda::simt
