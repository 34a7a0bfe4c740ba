#include "design/space.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <msda/error.hpp>

namespace msda {
namespace {

constexpr std::uint64_t kMostPoints = std::uint64_t{1} << 53;

bool holds(const std::vector<int>& levels, int level) {
  return std::find(levels.begin(), levels.end(), level) != levels.end();
}

/// The allowed level that is nearest to `level` in their order.
int nearest_level(const std::vector<int>& allowed, int level) {
  return *std::min_element(allowed.begin(), allowed.end(), [level](int a, int b) {
    return std::abs(a - level) < std::abs(b - level);
  });
}

}  // namespace

bool matches(const SpacePattern& pattern, const Levels& levels) {
  return std::all_of(pattern.begin(), pattern.end(), [&](const FactorLevels& one) {
    return holds(one.levels, levels[one.factor]);
  });
}

SearchSpace::SearchSpace(std::vector<SpaceFactor> factors, std::vector<SpaceRule> rules)
    : factors_(std::move(factors)), rules_(std::move(rules)) {
  for (std::size_t f = 0; f < factors_.size(); ++f) {
    if (factors_[f].levels.empty()) {
      throw UsageError(fmt::format("factor '{}' of the space has no level", factors_[f].name));
    }
    if (!factors_[f].parent) decisions_.push_back({f, {}, {}, 0});
    for (Decision& decision : decisions_) {
      if (factors_[f].parent == decision.factor) decision.parameters.push_back(f);
    }
  }
  for (Decision& decision : decisions_) {
    const auto alternatives = static_cast<int>(factors_[decision.factor].levels.size());
    for (int alternative = 0; alternative < alternatives; ++alternative) {
      decision.first.push_back(decision.count);
      std::uint64_t values = 1;
      for (const std::size_t parameter : decision.parameters) {
        values *= std::max<std::size_t>(allowed(parameter, alternative).size(), 1);
      }
      decision.count += values;
    }
    if (decision.count > kMostPoints / size_) {
      throw UsageError("the space has more than 2^53 points; give fewer factors or values");
    }
    size_ *= decision.count;
  }
}

const std::vector<int>& SearchSpace::allowed(std::size_t parameter, int alternative) const {
  return factors_[parameter].allowed.at(static_cast<std::size_t>(alternative));
}

void SearchSpace::set(const Decision& decision, std::uint64_t digit, Levels& levels) const {
  const auto above = std::upper_bound(decision.first.begin(), decision.first.end(), digit);
  const auto alternative = static_cast<int>(above - decision.first.begin()) - 1;
  levels[decision.factor] = alternative;
  digit -= decision.first[static_cast<std::size_t>(alternative)];
  for (const std::size_t parameter : decision.parameters) {
    const std::vector<int>& values = allowed(parameter, alternative);
    if (values.empty()) continue;
    levels[parameter] = values[digit % values.size()];
    digit /= values.size();
  }
}

std::uint64_t SearchSpace::digit_of(const Decision& decision, const Levels& levels) const {
  const int alternative = levels[decision.factor];
  std::uint64_t digit = 0;
  std::uint64_t unit = 1;
  for (const std::size_t parameter : decision.parameters) {
    const std::vector<int>& values = allowed(parameter, alternative);
    if (values.empty()) continue;
    const auto place = std::find(values.begin(), values.end(), levels[parameter]);
    digit += unit * static_cast<std::uint64_t>(place - values.begin());
    unit *= values.size();
  }
  return decision.first.at(static_cast<std::size_t>(alternative)) + digit;
}

Levels SearchSpace::at(std::uint64_t number) const {
  Levels levels(factors_.size(), kInactive);
  for (const Decision& decision : decisions_) {
    set(decision, number % decision.count, levels);
    number /= decision.count;
  }
  return levels;
}

std::uint64_t SearchSpace::number_of(const Levels& levels) const {
  std::uint64_t number = 0;
  std::uint64_t unit = 1;
  for (const Decision& decision : decisions_) {
    number += unit * digit_of(decision, levels);
    unit *= decision.count;
  }
  return number;
}

std::optional<std::size_t> SearchSpace::broken_rule(const Levels& levels) const {
  for (std::size_t r = 0; r < rules_.size(); ++r) {
    const SpaceRule& rule = rules_[r];
    if (!matches(rule.when, levels)) continue;
    if (rule.then.empty() || !matches(rule.then, levels)) return r;
  }
  return std::nullopt;
}

/// Every other alternative of the decision.
void SearchSpace::add_switches(const Decision& decision, const Levels& levels,
                               std::vector<Levels>& found) const {
  for (std::uint64_t digit = 0; digit < decision.count; ++digit) {
    Levels other = levels;
    for (const std::size_t parameter : decision.parameters) other[parameter] = kInactive;
    set(decision, digit, other);
    if (other[decision.factor] == levels[decision.factor]) continue;
    const bool near = std::all_of(
        decision.parameters.begin(), decision.parameters.end(), [&](std::size_t parameter) {
          const std::vector<int>& values = allowed(parameter, other[decision.factor]);
          if (values.empty() || levels[parameter] == kInactive) return true;
          return other[parameter] == nearest_level(values, levels[parameter]);
        });
    if (near) found.push_back(std::move(other));
  }
}

std::vector<Levels> SearchSpace::neighbours(const Levels& levels) const {
  std::vector<Levels> found;
  for (const Decision& decision : decisions_) {
    add_switches(decision, levels, found);
    for (const std::size_t parameter : decision.parameters) {
      for (const int value : allowed(parameter, levels[decision.factor])) {
        if (value == levels[parameter]) continue;
        found.push_back(levels);
        found.back()[parameter] = value;
      }
    }
  }
  return found;
}

std::string SearchSpace::describe(const Levels& levels) const {
  std::string text;
  for (const Decision& decision : decisions_) {
    const SpaceFactor& factor = factors_[decision.factor];
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", factor.name,
                        factor.levels.at(static_cast<std::size_t>(levels[decision.factor])));
    std::string values;
    for (const std::size_t parameter : decision.parameters) {
      if (levels[parameter] == kInactive) continue;
      const SpaceFactor& own = factors_[parameter];
      values +=
          fmt::format("{}{}={}", values.empty() ? "" : ",", own.name.substr(factor.name.size() + 1),
                      own.levels.at(static_cast<std::size_t>(levels[parameter])));
    }
    if (!values.empty()) text += "(" + values + ")";
  }
  return text;
}

}  // namespace msda
