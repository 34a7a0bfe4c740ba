#include "device/simt/races.hpp"

#include <algorithm>
#include <tuple>

namespace msda::simt {
namespace {

void merge(Moments& into, const Moments& from) {
  const std::size_t count = from.size();
  for (std::size_t t = 0; t < count; ++t) into[t] = std::max(into[t], from[t]);
}

}  // namespace

Known join(const std::vector<const Clock*>& clocks) {
  const Moments* merged = clocks.front()->known.get();
  auto joined = std::make_shared<Moments>(*merged);
  for (const Clock* clock : clocks) {
    if (clock->known.get() != merged) {
      merged = clock->known.get();
      merge(*joined, *merged);
    }
    auto& moment = (*joined)[clock->thread];
    moment = std::max(moment, clock->moment);
  }
  return joined;
}

Races::Races(std::size_t threads, std::size_t agents, std::size_t bytes)
    : clocks_(threads + agents), bytes_(bytes) {
  const auto nothing = std::make_shared<const Moments>(clocks_.size());
  for (std::size_t t = 0; t < clocks_.size(); ++t)
    clocks_[t] = {static_cast<std::uint32_t>(t), 1, nothing};
}

Clock Races::delegate(std::size_t thread, std::size_t agent) {
  const Clock& by = clocks_[thread];
  auto known = std::make_shared<Moments>(*by.known);
  (*known)[thread] = by.moment;
  return {static_cast<std::uint32_t>(agent), ++clocks_[agent].moment, std::move(known), false};
}

std::optional<Conflict> Races::access(const Clock& clock, std::size_t byte, bool writes,
                                      bool atomic, const void* pc) {
  Byte& at = bytes_[byte];
  const auto unordered = [&](const Access& other) {
    return other.moment > clock[other.thread] && !(other.atomic && atomic);
  };
  if (at.write && unordered(*at.write)) return Conflict{at.write->thread, true, at.write->pc};
  const Access mine = {clock.thread, clock.moment, atomic, pc};
  if (writes) {
    for (const Access& read : at.reads) {
      if (unordered(read)) return Conflict{read.thread, false, read.pc};
    }
    at.reads.clear();
    at.write = mine;
    return std::nullopt;
  }
  if (at.reads.size() == at.reads.capacity()) forget(at.reads, clock, atomic);
  at.reads.push_back(mine);
  return std::nullopt;
}

void Races::forget(std::vector<Access>& reads, const Clock& clock, bool atomic) {
  std::erase_if(reads, [&](const Access& read) {
    return read.moment <= clock[read.thread] && (read.atomic || !atomic);
  });
  std::ranges::sort(reads, [](const Access& a, const Access& b) {
    return std::tuple(a.thread, a.atomic, b.moment) < std::tuple(b.thread, b.atomic, a.moment);
  });
  const auto again = std::ranges::unique(reads, [](const Access& a, const Access& b) {
    return a.thread == b.thread && a.atomic == b.atomic;
  });
  reads.erase(again.begin(), again.end());
  reads.reserve(2 * reads.size() + 1);  // otherwise the next one may come here again
}

std::optional<Conflict> Races::untold(const Moments& known, std::size_t byte, std::size_t first,
                                      std::size_t last) const {
  const Byte& at = bytes_[byte];
  const auto is_untold = [&](const Access& access) {
    return (access.thread < first || access.thread >= last) && access.moment > known[access.thread];
  };
  if (at.write && is_untold(*at.write)) return Conflict{at.write->thread, true, at.write->pc};
  for (const Access& read : at.reads) {
    if (is_untold(read)) return Conflict{read.thread, false, read.pc};
  }
  return std::nullopt;
}

void Races::meet(const std::vector<std::size_t>& threads) {
  std::vector<const Clock*> clocks;
  clocks.reserve(threads.size());
  for (const std::size_t thread : threads) clocks.push_back(&clocks_[thread]);
  const Known known = join(clocks);
  for (const std::size_t thread : threads) {
    teach(thread, known);
    advance(thread);
  }
}

void Races::release(const void* subject, const Clock& clock) {
  Subject& of = subjects_[subject];
  if (of.gathered.empty()) of.gathered.resize(clocks_.size());
  if (of.added != clock.known) {
    merge(of.gathered, *clock.known);
    of.added = clock.known;
  }
  auto& moment = of.gathered[clock.thread];
  moment = std::max(moment, clock.moment);
  of.after = nullptr;
}

void Races::acquire(std::size_t thread, const void* subject) {
  const auto found = subjects_.find(subject);
  if (found == subjects_.end()) return;
  Subject& of = found->second;
  Known& known = clocks_[thread].known;
  if (of.after == nullptr || of.before != known) {
    auto after = std::make_shared<Moments>(*known);
    merge(*after, of.gathered);
    of.before = known;
    of.after = std::move(after);
  }
  known = of.after;
}

}  // namespace msda::simt
