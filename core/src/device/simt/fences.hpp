// What one cluster knows of another's writes to global memory: those before a fence behind which it
// touched a word atomically are known to who touches that word atomically later and then comes to a
// fence (PTX ISA, "Memory Consistency Model").
#pragma once

#include <cstdint>
#include <map>

namespace msda::simt {

class Fences {
 public:
  void fence(unsigned cluster);
  /// The cluster reads and perhaps changes the word there.
  void touch_atomically(std::uintptr_t address, unsigned cluster);
  /// Fences that the cluster has come to.
  unsigned passed(unsigned cluster) const;
  /// True when `reader` knows what `writer` wrote when it had come to `passed` fences.
  bool order(unsigned writer, unsigned passed, unsigned reader) const;

 private:
  /// By cluster, the fences of it before which all is known.
  using Known = std::map<unsigned, unsigned>;
  struct Cluster {
    unsigned passed = 0;
    Known known;
    Known at_fence;  ///< when it came to its last one
    Known found;     ///< by atomic operations since then
  };

  static void learn(Known& known, const Known& more);

  std::map<unsigned, Cluster> clusters_;
  std::map<std::uintptr_t, Known> words_;
};

}  // namespace msda::simt
