#include "conformance/tiles.hpp"

#include <algorithm>
#include <functional>

#include "conformance/conformance.hpp"
#include "device/device.hpp"
#include "problem/validate.hpp"

namespace msda {
namespace {

const ParameterSpec* parameter(const Plugin& plugin, std::string_view name) {
  for (const ParameterSpec& spec : plugin.variant->info().parameters) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

/// Each use with every choice of its parameter of choices, or as it is.
std::vector<Use> with_choices(const std::vector<Use>& uses) {
  std::vector<Use> all;
  for (const Use& use : uses) {
    const std::size_t before = all.size();
    for (const ParameterSpec& spec :
         shipped_plugins().find(use.variant).variant->info().parameters) {
      for (const ParameterValue& choice : spec.choices) {
        Use one = use;
        one.parameters[spec.name] = choice;
        all.push_back(std::move(one));
      }
    }
    if (all.size() == before) all.push_back(use);
  }
  return all;
}

/// The variant on its defaults, or, where they do not fit the shape of tile_problems(), with its
/// first choice that does.
Use fitting(const std::string& variant) {
  static const DeviceInfo kDevice = open_device("simt")->info();
  const Problem problem = tile_problems().front().problem;
  Use plain{variant, {}};
  const auto refuses = [&](const Use& use) {
    return Composition(shipped_plugins(), {use}).unsupported(problem, kDevice).has_value();
  };
  if (!refuses(plain)) return plain;
  for (const Use& use : with_choices({plain})) {
    if (!refuses(use)) return use;
  }
  return plain;
}

/// The optimizations that `wanted` takes.
std::vector<Use> optimizations(
    const std::function<bool(const Plugin&, const Optimization::Slot&)>& wanted) {
  std::vector<Use> uses;
  for (const Plugin& plugin : shipped_plugins().plugins()) {
    const auto* optimization = dynamic_cast<const Optimization*>(plugin.variant.get());
    if (optimization != nullptr && computes_forward(*optimization) &&
        wanted(plugin, optimization->slot())) {
      uses.push_back(fitting(plugin.name));
    }
  }
  return uses;
}
std::vector<Use> of_slot(const std::string& slot) {
  return optimizations(
      [&](const Plugin&, const Optimization::Slot& filled) { return filled.slot == slot; });
}

/// Schedules of one block for each multiprocessor.
struct Schedules {
  std::vector<Use> by_tile;  ///< items of one tile or a few, first those of one tile
  Use by_image;              ///< one item for each image
};
Schedules few_blocks() {
  Schedules schedules;
  for (Use& use : of_slot("schedule")) {
    const Plugin& plugin = shipped_plugins().find(use.variant);
    if (parameter(plugin, "blocks") != nullptr) use.parameters["blocks"] = std::int64_t{1};
    const bool cuts_images = parameter(plugin, "chunks") != nullptr;
    if (cuts_images) use.parameters["chunks"] = std::int64_t{0};
    schedules.by_tile.insert(cuts_images ? schedules.by_tile.begin() : schedules.by_tile.end(),
                             use);
    if (cuts_images) use.parameters["chunks"] = std::int64_t{1};
    if (cuts_images) schedules.by_image = use;
  }
  return schedules;
}

/// Sources that keep planes of two heads.
std::vector<Use> planes_of_two_heads() {
  std::vector<Use> uses = optimizations([](const Plugin& plugin, const Optimization::Slot& slot) {
    return slot.slot == "source" && parameter(plugin, "heads") != nullptr;
  });
  for (Use& use : uses) use.parameters["heads"] = std::int64_t{2};
  return uses;
}

bool is_beside_schedules(const Plugin&, const Optimization::Slot& slot) {
  return slot.skeleton != "whole" && slot.slot != "schedule";
}

class Compositions {
 public:
  /// Unless they do not go together.
  void add(const std::vector<Use>& uses) {
    try {
      made_.emplace_back(shipped_plugins(), uses);
    } catch (const UsageError&) {
    }
  }
  std::vector<Composition> take() { return std::move(made_); }

 private:
  std::vector<Composition> made_;
};

std::vector<AwkwardProblem> tile_problems_with(const Level& largest) {
  Problem problem;
  problem.heads = 3;
  problem.channels = 16;
  problem.points = 4;
  problem.levels = {largest, {17, 16}, {4, 6}, {3, 8}};
  problem.types = Types::all(DType::kFloat16);
  std::vector<AwkwardProblem> problems;
  for (const auto& [batch, queries] : {std::pair{1, 43}, std::pair{3, 129}, std::pair{2, 129}}) {
    problem.batch = batch;
    problem.queries = queries;
    problem.name = describe(problem);
    Generation generation;
    generation.distribution = Distribution::kOutside;
    generation.seed = static_cast<std::uint64_t>(queries);
    problems.push_back({problem, generation});
  }
  return problems;
}

}  // namespace

std::vector<Composition> item_for_each_tile() {
  const Schedules schedules = few_blocks();
  Compositions compositions;
  for (const Use& schedule : schedules.by_tile) compositions.add({schedule});
  for (const Use& use : optimizations(is_beside_schedules)) {
    compositions.add({schedules.by_tile.front(), use});
  }
  for (const Use& use : planes_of_two_heads()) {
    compositions.add({schedules.by_tile.front(), use});
  }
  return compositions.take();
}

std::vector<Composition> item_for_each_image() {
  const Use schedule = few_blocks().by_image;
  Compositions compositions;
  compositions.add({schedule});
  for (const Use& use : optimizations(is_beside_schedules)) compositions.add({schedule, use});
  // Lanes that hold several rows, and rows whose two columns different lanes read.
  const auto blocking = optimizations([](const Plugin& plugin, const Optimization::Slot& slot) {
    return slot.slot == "mapping" && parameter(plugin, "rows") != nullptr;
  });
  const auto sides = optimizations([](const Plugin&, const Optimization::Slot& slot) {
    return slot.slot == "mapping" && std::ranges::count(slot.traits, "reads-sides") > 0;
  });
  for (const std::string slot : {"metadata", "point-fetch", "fetch"}) {
    for (const Use& use : of_slot(slot)) {
      for (const Use& mapping : blocking) compositions.add({schedule, use, mapping});
      if (slot != "fetch") continue;
      for (const Use& mapping : sides) compositions.add({schedule, use, mapping});
    }
  }
  // Every source with lanes that read 16 bytes.
  for (const Use& use : of_slot("source")) {
    compositions.add({schedule, use, {"vector-loads", {}}});
  }
  for (const Use& pipeline : with_choices(of_slot("pipeline"))) {
    for (const std::string slot : {"metadata", "fetch"}) {
      for (const Use& produced : of_slot(slot)) compositions.add({schedule, pipeline, produced});
    }
  }
  return compositions.take();
}

std::vector<AwkwardProblem> tile_problems() { return tile_problems_with({272, 256}); }

std::vector<AwkwardProblem> small_tile_problems() { return tile_problems_with({36, 32}); }

}  // namespace msda
