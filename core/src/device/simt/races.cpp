#include "device/simt/races.hpp"

#include <algorithm>

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
    : clocks_(threads + agents), history_(bytes) {
  clear();
}

void Races::clear() {
  const auto nothing = std::make_shared<const Moments>(clocks_.size());
  for (std::size_t t = 0; t < clocks_.size(); ++t)
    clocks_[t] = {static_cast<std::uint32_t>(t), 1, nothing};
  subjects_.clear();
  history_.clear();
}

Clock Races::delegate(std::size_t thread, std::size_t agent) {
  const Clock& by = clocks_[thread];
  auto known = std::make_shared<Moments>(*by.known);
  (*known)[thread] = by.moment;
  return {static_cast<std::uint32_t>(agent), ++clocks_[agent].moment, std::move(known), false};
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
