#include "device/simt/fences.hpp"

#include <algorithm>

namespace msda::simt {

void Fences::learn(Known& known, const Known& more) {
  for (const auto& [cluster, fences] : more) {
    known[cluster] = std::max(known[cluster], fences);
  }
}

void Fences::fence(unsigned cluster) {
  Cluster& own = clusters_[cluster];
  learn(own.known, own.found);
  own.found.clear();
  own.at_fence = own.known;
  own.at_fence[cluster] = ++own.passed;
}

void Fences::touch_atomically(std::uintptr_t address, unsigned cluster) {
  const auto own = clusters_.find(cluster);
  if (own == clusters_.end() && words_.empty()) return;  // a launch without fences
  Known& word = words_[address];
  learn(clusters_[cluster].found, word);
  learn(word, clusters_[cluster].at_fence);
}

unsigned Fences::passed(unsigned cluster) const {
  const auto own = clusters_.find(cluster);
  return own == clusters_.end() ? 0 : own->second.passed;
}

bool Fences::order(unsigned writer, unsigned passed, unsigned reader) const {
  const auto own = clusters_.find(reader);
  if (own == clusters_.end()) return false;
  const auto known = own->second.known.find(writer);
  return known != own->second.known.end() && known->second > passed;
}

}  // namespace msda::simt
