#include "reason_counts.hpp"

#include <algorithm>
#include <cctype>

namespace msda {
namespace {

std::string without_numbers(const std::string& reason) {
  std::string text;
  for (const char c : reason) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit) text += c;
    if (digit && (text.empty() || text.back() != '#')) text += '#';
  }
  return text;
}

}  // namespace

void ReasonCounts::add(const std::string& reason) {
  ++entries_.try_emplace(without_numbers(reason), Entry{reason, 0}).first->second.count;
}

std::vector<ReasonCounts::Entry> ReasonCounts::most_first() const {
  std::vector<Entry> all;
  all.reserve(entries_.size());
  for (const auto& [key, entry] : entries_) all.push_back(entry);
  std::stable_sort(all.begin(), all.end(),
                   [](const Entry& a, const Entry& b) { return a.count > b.count; });
  return all;
}

}  // namespace msda
