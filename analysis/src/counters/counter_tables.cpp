#include "counters/counter_tables.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "ablation/families.hpp"

namespace msda {
namespace {

const Table* table_of(const CounterTable& counted, const CounterContext& context) {
  if (context.tables == nullptr) return nullptr;
  const auto found = std::ranges::find_if(*context.tables, [&](const Table& table) {
    return table.problem == counted.problem && name_of(table.mode) == counted.mode;
  });
  return found == context.tables->end() ? nullptr : &*found;
}

std::vector<CounterTable> grouped(const std::vector<KernelCounters>& kernels) {
  std::vector<CounterTable> tables;
  for (CountedLaunch& launch : launches_of(kernels)) {
    const KernelCounters& kernel = launch.kernel;
    auto found = std::ranges::find_if(tables, [&](const CounterTable& table) {
      return table.problem == kernel.problem && table.mode == kernel.mode;
    });
    if (found == tables.end()) {
      found = tables.insert(
          found, {kernel.problem, kernel.mode, kernel.device, kernel.tool, {}, {}, {}, {}});
    }
    found->launches.push_back(std::move(launch));
  }
  return tables;
}

void sort_arms(const std::vector<std::string>& arms, CounterTable& table) {
  const auto place = [&](const CountedLaunch& launch) {
    return std::ranges::find(arms, launch.arm()) - arms.begin();
  };
  std::ranges::stable_sort(table.launches, [&](const CountedLaunch& a, const CountedLaunch& b) {
    return place(a) < place(b);
  });
}

using Loads = std::map<std::string, LaunchLoads>;

Loads loads_by_arm(const CounterTable& table) {
  Loads loads;
  for (const CountedLaunch& launch : table.launches) {
    if (auto known = loads_of(launch)) loads.emplace(launch.arm(), *std::move(known));
  }
  return loads;
}

void explain_arms(const Loads& loads, const Table* timed, const std::string& baseline,
                  CounterTable& table) {
  const Row* base_row = timed == nullptr ? nullptr : baseline_row(*timed);
  const auto base = loads.find(base_row == nullptr ? baseline : base_row->record.arm);
  if (base == loads.end()) return;
  for (const CountedLaunch& launch : table.launches) {
    const auto own = loads.find(launch.arm());
    if (own == loads.end() || own == base) continue;
    Explained explained{explain(launch.arm(), own->second, base->first, base->second), 1, {}, {}};
    const Row* row = timed == nullptr ? nullptr : find_row(*timed, launch.arm());
    if (row != nullptr) {
      explained.ratio = row->speedup;
      explained.ratio_95 = row->speedup_95;
    }
    table.arms.push_back(std::move(explained));
  }
}

/// The levels of two points that differ in `factor` alone, from its level 0 to `level`.
bool is_pair(const Levels& from, const Levels& to, std::size_t factor, int level) {
  if (from[factor] != 0 || to[factor] != level) return false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (i != factor && from[i] != to[i]) return false;
  }
  return true;
}

std::optional<Explained> explain_level(const Design& design, const Loads& loads, std::size_t factor,
                                       int level) {
  std::vector<LaunchLoads> without;
  std::vector<LaunchLoads> with;
  for (const DesignPoint& from : design.points) {
    for (const DesignPoint& to : design.points) {
      if (!is_pair(from.levels, to.levels, factor, level)) continue;
      const auto before = loads.find(from.arm);
      const auto after = loads.find(to.arm);
      if (before == loads.end() || after == loads.end()) continue;
      without.push_back(before->second);
      with.push_back(after->second);
    }
  }
  if (with.empty()) return std::nullopt;
  const std::string label = effect_label(design.factors[factor], level);
  return Explained{explain(label, mean(with), "without it", mean(without)), with.size(), {}, {}};
}

/// What the samples say of the same factor.
void add_effect(const Ablation& ablation, const CounterTable& table, Explained& explained) {
  for (const AblationTable& effects : ablation.tables) {
    if (effects.problem != table.problem || name_of(effects.mode) != table.mode) continue;
    const EffectFamily* family = telling_family(effects);
    if (family == nullptr) continue;
    for (const Effect& effect : family->effects) {
      if (effect.label != explained.why.arm) continue;
      explained.ratio = effect.ratio;
      explained.ratio_95 = effect.ratio_95;
    }
  }
}

void explain_factors(const Loads& loads, const CounterContext& context, CounterTable& table) {
  const Design* design = context.ablation == nullptr ? context.design : &context.ablation->design;
  if (design == nullptr) return;
  for (std::size_t factor = 0; factor < design->factors.size(); ++factor) {
    for (int level = 1; level <= design->factors[factor].last(); ++level) {
      auto explained = explain_level(*design, loads, factor, level);
      if (!explained) continue;
      if (context.ablation != nullptr) add_effect(*context.ablation, table, *explained);
      table.factors.push_back(*std::move(explained));
    }
  }
}

void claim_bytes(const Table& timed, const Manifest& manifest, CounterTable& table) {
  const std::vector<double> levels = level_bytes(manifest, table.problem);
  for (const CountedLaunch& launch : table.launches) {
    const Row* row = find_row(timed, launch.arm());
    auto& claims = table.bytes.emplace_back();
    if (row != nullptr) claims = byte_claims(launch, row->record, levels);
  }
}

}  // namespace

const CountedLaunch* CounterTable::find(const std::string& arm) const {
  const auto found = std::ranges::find_if(
      launches, [&](const CountedLaunch& launch) { return launch.arm() == arm; });
  return found == launches.end() ? nullptr : &*found;
}

std::vector<CounterTable> make_counter_tables(const std::vector<KernelCounters>& kernels,
                                              const CounterContext& context) {
  std::vector<CounterTable> tables = grouped(kernels);
  for (CounterTable& table : tables) {
    if (!context.arms.empty()) sort_arms(context.arms, table);
    const Loads loads = loads_by_arm(table);
    const Table* timed = table_of(table, context);
    explain_arms(loads, timed, context.baseline, table);
    if (timed != nullptr && context.manifest != nullptr) {
      claim_bytes(*timed, *context.manifest, table);
    }
    explain_factors(loads, context, table);
  }
  return tables;
}

}  // namespace msda
