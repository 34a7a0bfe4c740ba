// How often things failed, and why.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace msda {

/// Counts reasons. Those that differ in nothing but numbers are one, called as the first.
class ReasonCounts {
 public:
  struct Entry {
    std::string reason;
    std::uint64_t count = 0;
  };

  void add(const std::string& reason);
  std::vector<Entry> most_first() const;

 private:
  std::map<std::string, Entry> entries_;  ///< by the reason without its numbers
};

}  // namespace msda
