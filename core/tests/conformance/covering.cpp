#include "conformance/covering.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "conformance/awkward_problems.hpp"
#include "conformance/combinations.hpp"

namespace msda {
namespace {

/// One value of one parameter of an optimization; without parameters the optimization itself.
struct Setting {
  const Plugin* plugin;
  std::string slot;
  std::string parameter;
  ParameterValue value;
};

using Numbers = std::vector<std::size_t>;
using PairOfSettings = std::pair<std::size_t, std::size_t>;

std::vector<Setting> all_settings() {
  std::vector<Setting> settings;
  for (const auto& [slot, plugins] : combinable_by_slot()) {
    for (const Plugin* plugin : plugins) {
      const auto& parameters = plugin->variant->info().parameters;
      if (parameters.empty()) settings.push_back({plugin, slot, "", {}});
      for (const ParameterSpec& spec : parameters) {
        for (const ParameterValue& value : tested_values(spec)) {
          settings.push_back({plugin, slot, spec.name, value});
        }
      }
    }
  }
  return settings;
}

/// Settings on their way to a composition.
class Builder {
 public:
  explicit Builder(const std::vector<Setting>& settings)
      : settings_(settings), device_(open_device("simt")->info()) {}

  /// The problem that a composition of exactly these can run; nullopt where there is none.
  std::optional<Covering> make(const Numbers& chosen) const {
    std::map<const Plugin*, std::map<std::string, ParameterValue>> parameters;
    for (const std::size_t number : chosen) {
      const Setting& setting = settings_[number];
      auto& own = parameters[setting.plugin];
      if (!setting.parameter.empty()) own[setting.parameter] = setting.value;
    }
    std::vector<Use> uses;
    for (const auto& [plugin, own] : parameters) uses.push_back({plugin->name, own});
    std::ranges::sort(uses, {}, &Use::variant);
    try {
      Composition composition(shipped_plugins(), uses);
      const auto& problems = awkward_problems();
      for (std::size_t i = 0; i < problems.size(); ++i) {
        const std::size_t problem = (i + chosen.front()) % problems.size();
        if (composition.unsupported(problems[problem].problem, device_)) continue;
        return Covering{std::move(composition), problem};
      }
    } catch (const UsageError&) {  // they do not combine
    }
    return std::nullopt;
  }
  /// Whether `number` can be beside these: another slot, or another parameter of one part.
  bool fits(const Numbers& chosen, std::size_t number) const {
    return std::ranges::all_of(chosen, [&](std::size_t other) {
      const Setting& a = settings_[number];
      const Setting& b = settings_[other];
      return a.slot != b.slot || (a.plugin == b.plugin && a.parameter != b.parameter);
    });
  }

 private:
  const std::vector<Setting>& settings_;
  DeviceInfo device_;
};

class Array {
 public:
  Array() : settings_(all_settings()), builder_(settings_) {
    for (std::size_t a = 0; a < settings_.size(); ++a) {
      for (std::size_t b = a + 1; b < settings_.size(); ++b) {
        if (builder_.fits({a}, b)) open_.insert({a, b});
      }
    }
    while (!open_.empty()) add_one();
  }

  std::vector<Covering> compositions;
  CoveredPairs pairs;

 private:
  /// A composition of an open pair and of what covers most beside it.
  void add_one() {
    const PairOfSettings first = *open_.begin();
    Numbers chosen = {first.first, first.second};
    std::optional<Covering> best = builder_.make(chosen);
    if (!best) {
      open_.erase(first);
      ++pairs.impossible;
      return;
    }
    Numbers rest(settings_.size());
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = i;
    std::shuffle(rest.begin(), rest.end(), random_);
    std::ranges::stable_sort(rest, std::greater{},
                             [&](std::size_t number) { return gain(chosen, number); });
    for (const std::size_t number : rest) {
      if (!builder_.fits(chosen, number) || gain(chosen, number) == 0) continue;
      Numbers more = chosen;
      more.push_back(number);
      if (auto covering = builder_.make(more)) {
        best = std::move(covering);
        chosen = std::move(more);
      }
    }
    for (const std::size_t a : chosen) {
      for (const std::size_t b : chosen) pairs.covered += open_.erase({a, b});
    }
    compositions.push_back(*std::move(best));
  }
  /// Open pairs of a setting with these.
  std::size_t gain(const Numbers& chosen, std::size_t number) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        chosen, [&](std::size_t other) { return open_.contains(std::minmax(number, other)); }));
  }

  std::vector<Setting> settings_;
  Builder builder_;
  std::set<PairOfSettings> open_;
  std::mt19937_64 random_{20261125};
};

const Array& array() {
  static const Array kArray;
  return kArray;
}

}  // namespace

const std::vector<Covering>& covering_array() { return array().compositions; }

CoveredPairs covered_pairs() { return array().pairs; }

}  // namespace msda
