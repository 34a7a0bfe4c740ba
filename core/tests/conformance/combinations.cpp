#include "conformance/combinations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <random>

#include "compose/unit_writer.hpp"
#include "jit/compiler.hpp"
#include "parallel.hpp"

namespace msda {
namespace {

using BySlot = std::map<std::string, std::vector<const Plugin*>>;

/// The optimizations by slot; kernels that have no slots fill the slot "kernel".
BySlot by_slot() {
  BySlot slots;
  for (const Plugin& plugin : shipped_plugins().plugins()) {
    const auto* optimization = dynamic_cast<const Optimization*>(plugin.variant.get());
    if (optimization != nullptr && computes_forward(*optimization)) {
      slots[optimization->slot().slot].push_back(&plugin);
    }
  }
  return slots;
}

/// nullopt when the variants are declared not to combine; that refusal must give its reason.
std::optional<Composition> combine(const std::vector<Use>& uses) {
  try {
    return Composition(shipped_plugins(), uses);
  } catch (const UsageError& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("do not combine"), std::string::npos)
        << refusal.what();
    return std::nullopt;
  }
}

/// One of few: a choice, or of a range its ends, its default or the middle.
ParameterValue draw(const ParameterSpec& spec, std::mt19937_64& random) {
  if (!spec.choices.empty()) return spec.choices[random() % spec.choices.size()];
  if (std::holds_alternative<bool>(spec.default_value)) return random() % 2 == 0;
  const auto* value = std::get_if<std::int64_t>(&spec.default_value);
  if (value == nullptr || !spec.minimum || !spec.maximum) return spec.default_value;
  const auto lowest = static_cast<std::int64_t>(*spec.minimum);
  const auto doubled = std::min(2 * *value, static_cast<std::int64_t>(*spec.maximum));
  const std::int64_t values[] = {*value, *value, std::max(lowest, *value / 2),
                                 std::max(lowest, doubled)};
  return values[random() % 4];
}

std::vector<ParameterValue> other_values(const ParameterSpec& spec) {
  std::vector<ParameterValue> values = spec.choices;
  if (std::holds_alternative<bool>(spec.default_value)) values = {true, false};
  std::erase(values, spec.default_value);
  return values;
}

/// Of a parameter with a range: not the default where the range has another odd number.
std::optional<std::int64_t> odd_number(const ParameterSpec& spec) {
  const auto* value = std::get_if<std::int64_t>(&spec.default_value);
  if (value == nullptr || !spec.choices.empty() || !spec.minimum || !spec.maximum) {
    return std::nullopt;
  }
  constexpr std::int64_t kMany = 16;
  const std::int64_t odd = (*value > kMany ? *value * 3 / 4 : *value * 3 / 2) | 1;
  return std::clamp(odd, static_cast<std::int64_t>(*spec.minimum),
                    static_cast<std::int64_t>(*spec.maximum));
}

}  // namespace

std::map<std::string, std::vector<const Plugin*>> combinable_by_slot() {
  BySlot slots = by_slot();
  slots.erase("kernel");
  return slots;
}

std::vector<ParameterValue> tested_values(const ParameterSpec& spec) {
  std::vector<ParameterValue> values = other_values(spec);
  values.push_back(spec.default_value);
  if (const auto odd = odd_number(spec); odd && ParameterValue(*odd) != spec.default_value) {
    values.emplace_back(*odd);
  }
  return values;
}

std::vector<Composition> other_choices() {
  std::vector<Composition> compositions;
  for (const auto& [slot, plugins] : by_slot()) {
    for (const Plugin* plugin : plugins) {
      for (const ParameterSpec& spec : plugin->variant->info().parameters) {
        for (const ParameterValue& value : other_values(spec)) {
          if (auto one = combine({{plugin->name, {{spec.name, value}}}}))
            compositions.push_back(*std::move(one));
        }
      }
    }
  }
  return compositions;
}

std::vector<Composition> odd_numbers() {
  std::vector<Composition> compositions;
  for (const auto& [slot, plugins] : by_slot()) {
    for (const Plugin* plugin : plugins) {
      Use use{plugin->name, {}};
      for (const ParameterSpec& spec : plugin->variant->info().parameters) {
        if (const auto value = odd_number(spec)) use.parameters[spec.name] = *value;
      }
      if (use.parameters.empty()) continue;
      if (auto one = combine({use})) compositions.push_back(*std::move(one));
    }
  }
  return compositions;
}

std::vector<Composition> all_pairs() {
  std::vector<Composition> pairs;
  const auto slots = combinable_by_slot();
  for (auto first = slots.begin(); first != slots.end(); ++first) {
    for (auto second = std::next(first); second != slots.end(); ++second) {
      for (const Plugin* a : first->second) {
        for (const Plugin* b : second->second) {
          if (auto pair = combine({{a->name, {}}, {b->name, {}}}))
            pairs.push_back(*std::move(pair));
        }
      }
    }
  }
  return pairs;
}

std::vector<Composition> random_compositions(int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Composition> compositions;
  const auto slots = combinable_by_slot();
  while (static_cast<int>(compositions.size()) < count) {
    std::vector<Use> uses;
    for (const auto& [slot, plugins] : slots) {
      const std::size_t chosen = random() % (plugins.size() + 1);
      if (chosen == plugins.size()) continue;  // the slot's default
      Use use{plugins[chosen]->name, {}};
      for (const ParameterSpec& spec : plugins[chosen]->variant->info().parameters) {
        use.parameters[spec.name] = draw(spec, random);
      }
      uses.push_back(std::move(use));
    }
    if (auto composition = combine(uses)) compositions.push_back(*std::move(composition));
  }
  return compositions;
}

void compile_pairs(const std::vector<std::pair<const Composition*, const Problem*>>& pairs,
                   const DeviceInfo& device) {
  const Compiler compiler;
  const std::string architecture = architecture_name(device.compute_capability);
  std::mutex mutex;
  parallel_for(static_cast<std::int64_t>(pairs.size()), 1, 0,
               [&](std::int64_t begin, std::int64_t) {
                 const auto& [composition, problem] = pairs[static_cast<std::size_t>(begin)];
                 if (composition->unsupported(*problem, device)) return;
                 try {
                   compiler.compile(write_unit(*composition, *problem).unit, architecture);
                 } catch (const Error& error) {
                   const std::lock_guard lock(mutex);
                   ADD_FAILURE() << composition->describe() << " on " << problem->name << ": "
                                 << error.what();
                 }
               });
}

void compile_all(const std::vector<Composition>& compositions, const std::vector<Problem>& problems,
                 const DeviceInfo& device) {
  std::vector<std::pair<const Composition*, const Problem*>> pairs;
  for (const Composition& composition : compositions) {
    for (const Problem& problem : problems) pairs.emplace_back(&composition, &problem);
  }
  compile_pairs(pairs, device);
}

}  // namespace msda
