#include "device/simt/races.hpp"

#include <algorithm>

namespace msda::simt {
namespace {

void merge(Clock& into, const Clock& from) {
  into.resize(std::max(into.size(), from.size()));
  for (std::size_t t = 0; t < from.size(); ++t) into[t] = std::max(into[t], from[t]);
}

}  // namespace

Races::Races(std::size_t threads, std::size_t bytes)
    : clocks_(threads, Clock(threads)), bytes_(bytes) {
  for (std::size_t t = 0; t < threads; ++t) clocks_[t][t] = 1;
}

std::optional<Conflict> Races::access(std::size_t thread, const Clock& clock, std::size_t byte,
                                      bool writes, bool atomic, const void* pc) {
  Byte& at = bytes_[byte];
  const auto unordered = [&](const Access& other) {
    return other.thread != thread && other.moment > clock[other.thread] &&
           !(other.atomic && atomic);
  };
  if (at.write && unordered(*at.write)) return Conflict{at.write->thread, true, at.write->pc};
  const Access mine = {static_cast<std::uint32_t>(thread), clock[thread], atomic, pc};
  if (writes) {
    for (const Access& read : at.reads) {
      if (unordered(read)) return Conflict{read.thread, false, read.pc};
    }
    at.reads.clear();
    at.write = mine;
    return std::nullopt;
  }
  const auto found = std::find_if(at.reads.begin(), at.reads.end(),
                                  [&](const Access& read) { return read.thread == thread; });
  if (found == at.reads.end()) {
    at.reads.push_back(mine);
  } else {
    *found = mine;
  }
  return std::nullopt;
}

void Races::release(const void* subject, const Clock& clock) { merge(subjects_[subject], clock); }

void Races::acquire(std::size_t thread, const void* subject) {
  const auto found = subjects_.find(subject);
  if (found != subjects_.end()) merge(clocks_[thread], found->second);
}

}  // namespace msda::simt
