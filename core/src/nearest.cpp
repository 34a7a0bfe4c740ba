#include "nearest.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <msda/error.hpp>

#include "characters.hpp"

namespace msda {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`, no part
/// being edited twice (optimal string alignment; Damerau, CACM 7(3), 1964).
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substituted});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    before_last = last;
    last.swap(row);
  }
  return last.back();
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  // One mistake in three letters is the usual limit of compilers' spelling hints: beyond it a
  // suggestion misleads more often than it helps.
  const std::string wanted = lower(word);
  const std::size_t limit = std::max<std::size_t>(wanted.size(), 3) / 3;
  std::string best;
  std::size_t best_distance = limit + 1;
  for (const std::string& candidate : candidates) {
    // The distance is at least the difference in length; a whole file may stand for a name.
    if (wanted.size() > candidate.size() + limit) continue;
    const std::size_t distance = edit_distance(wanted, lower(candidate));
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string best = nearest(word, candidates);
  return best.empty() ? "" : " (did you mean '" + best + "'?)";
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kMost = 60;
  if (text.size() <= kMost) return visible(text);
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // in UTF-8
  return fmt::format("{}... ({} bytes)", visible(text.substr(0, end)), text.size());
}

std::string choices(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 40;
  if (names.size() <= kMost) return fmt::format("{}", fmt::join(names, ", "));
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(kMost);
  return fmt::format("{} and {} more", fmt::join(names.begin(), end, ", "), names.size() - kMost);
}

void throw_no_such_name(std::string_view what, std::string_view name,
                        const std::vector<std::string>& names) {
  throw UsageError(fmt::format("no {} '{}'{}: there are {}", what, shortened(name),
                               suggestion(name, names), choices(names)));
}

}  // namespace msda
