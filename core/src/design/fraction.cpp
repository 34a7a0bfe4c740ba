#include "design/fraction.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <msda/error.hpp>

namespace msda {
namespace {

int length(Word word) { return std::popcount(word); }

Word bit(std::size_t factor) { return Word{1} << factor; }

/// All products of the defining words, without the empty one.
std::vector<Word> relation_of(const std::vector<Generator>& generators) {
  std::vector<Word> group{0};
  for (const Generator& generator : generators) {
    const Word defining = generator.word | bit(generator.factor);
    const std::size_t count = group.size();
    for (std::size_t i = 0; i < count; ++i) group.push_back(group[i] ^ defining);
  }
  group.erase(group.begin());
  std::sort(group.begin(), group.end(),
            [](Word a, Word b) { return length(a) != length(b) ? length(a) < length(b) : a < b; });
  return group;
}

int shortest(const std::vector<Word>& words, std::size_t factors) {
  int resolution = static_cast<int>(factors) + 1;
  for (const Word word : words) resolution = std::min(resolution, length(word));
  return resolution;
}

/// Depth-first search for words of the first `base` factors such that no product of defining words
/// is shorter than the resolution.
class GeneratorSearch {
 public:
  GeneratorSearch(std::size_t base, std::size_t factors, int resolution)
      : base_(base), factors_(factors), resolution_(resolution) {
    for (Word word = 0; word < bit(base); ++word) {
      if (length(word) + 1 >= resolution) candidates_.push_back(word);
    }
  }

  bool find() { return extend(0); }
  const std::vector<Generator>& generators() const { return generators_; }

 private:
  bool extend(std::size_t from) {
    const std::size_t next = base_ + generators_.size();
    if (next == factors_) return true;
    for (std::size_t c = from; c < candidates_.size(); ++c) {
      const Word defining = candidates_[c] | bit(next);
      if (!long_enough(defining)) continue;
      const std::size_t before = group_.size();
      for (std::size_t i = 0; i < before; ++i) group_.push_back(group_[i] ^ defining);
      generators_.push_back({next, candidates_[c]});
      if (extend(c + 1)) return true;
      generators_.pop_back();
      group_.resize(before);
    }
    return false;
  }

  bool long_enough(Word defining) const {
    return std::all_of(group_.begin(), group_.end(),
                       [&](Word word) { return length(word ^ defining) >= resolution_; });
  }

  std::size_t base_;
  std::size_t factors_;
  int resolution_;
  std::vector<Word> candidates_;
  std::vector<Word> group_{0};
  std::vector<Generator> generators_;
};

std::string letters(Word word) {
  std::string text;
  for (std::size_t f = 0; f < kMostFractionFactors; ++f) {
    if ((word & bit(f)) != 0) text += static_cast<char>('A' + f);
  }
  return text;
}

/// In levels -1 and +1 the base has -1 everywhere, so that a product of words that holds there is
/// negative for an odd number of letters.
std::string signed_letters(Word word, bool negative) {
  std::string text = letters(word);
  if (negative) text.insert(text.begin(), '-');
  return text;
}

std::string defining_text(Word word) { return signed_letters(word, length(word) % 2 == 1); }

/// "A = -BCDE"; empty when the effect has no alias that is short enough.
std::string alias_text(Word effect, const std::vector<Word>& relation, int longest) {
  std::vector<std::pair<Word, bool>> aliases;
  for (const Word word : relation) {
    if (length(word ^ effect) <= longest) {
      aliases.emplace_back(word ^ effect, length(word) % 2 == 1);
    }
  }
  std::sort(aliases.begin(), aliases.end(), [](const auto& a, const auto& b) {
    return length(a.first) != length(b.first) ? length(a.first) < length(b.first)
                                              : letters(a.first) < letters(b.first);
  });
  std::string text;
  for (const auto& [word, negative] : aliases) text += " = " + signed_letters(word, negative);
  return text.empty() ? "" : letters(effect) + text;
}

}  // namespace

std::vector<Generator> find_generators(std::size_t factors, int resolution) {
  if (factors > kMostFractionFactors) {
    throw UsageError(fmt::format("a fractional design has at most {} factors; here are {}",
                                 kMostFractionFactors, factors));
  }
  if (resolution < 3) {
    throw UsageError(
        fmt::format("resolution {} confuses main effects; give at least 3", resolution));
  }
  for (std::size_t base = 2; base < factors; ++base) {
    std::vector<Generator> best;
    for (int wanted = resolution; wanted <= static_cast<int>(factors); ++wanted) {
      GeneratorSearch search(base, factors, wanted);
      if (!search.find()) break;
      best = search.generators();
    }
    if (!best.empty()) return best;
  }
  return {};
}

std::vector<Levels> fraction_points(std::size_t factors, const std::vector<Generator>& generators) {
  std::vector<std::size_t> free;
  for (std::size_t f = 0; f < factors; ++f) {
    const bool generated = std::any_of(generators.begin(), generators.end(),
                                       [&](const Generator& g) { return g.factor == f; });
    if (!generated) free.push_back(f);
  }
  std::vector<Levels> points;
  for (Word choice = 0; choice < bit(free.size()); ++choice) {
    Word on = 0;
    for (std::size_t i = 0; i < free.size(); ++i) {
      if ((choice & bit(i)) != 0) on |= bit(free[i]);
    }
    Levels levels(factors, 0);
    for (const std::size_t f : free) levels[f] = (on & bit(f)) != 0 ? 1 : 0;
    for (const Generator& generator : generators) {
      levels[generator.factor] = length(on & generator.word) % 2;
    }
    points.push_back(std::move(levels));
  }
  return points;
}

Fraction describe_fraction(std::size_t factors, const std::vector<Generator>& generators) {
  const std::vector<Word> relation = relation_of(generators);
  Fraction fraction;
  fraction.resolution = shortest(relation, factors);
  for (const Generator& generator : generators) {
    // The defining word of generator and factor has one letter more than the generator.
    fraction.generators.push_back(
        fmt::format("{} = {}", letters(bit(generator.factor)),
                    signed_letters(generator.word, length(generator.word) % 2 == 0)));
  }
  for (const Word word : relation) fraction.relation.push_back(defining_text(word));
  constexpr int kLongestForMain = 4;
  constexpr int kLongestForPair = 3;
  const auto add = [&](Word effect, int longest) {
    std::string text = alias_text(effect, relation, longest);
    if (!text.empty()) fraction.aliases.push_back(std::move(text));
  };
  for (std::size_t f = 0; f < factors; ++f) add(bit(f), kLongestForMain);
  for (std::size_t a = 0; a < factors; ++a) {
    for (std::size_t b = a + 1; b < factors; ++b) add(bit(a) | bit(b), kLongestForPair);
  }
  return fraction;
}

}  // namespace msda
